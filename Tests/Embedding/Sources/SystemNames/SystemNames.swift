// Stand-ins for the names of SwiftUI, which this system has not: a file that imports both must compile, so no public name
// of the library may be one of these. Foundation's names come from Foundation itself.

public protocol App {}
public protocol Scene {}
public protocol View {}
public protocol Shape {}
public protocol Layout {}
public protocol Commands {}
public protocol Gesture {}
public protocol ViewModifier {}
public protocol PreferenceKey {}
public protocol EnvironmentKey {}
public protocol Transition {}

@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

public struct Binding<Value> {}
public struct Environment<Value> {}
public struct Alert {}
public struct Alignment {}
public struct Anchor<Value> {}
public struct Angle {}
public struct Animation {}
public struct AnyView {}
public struct Button<Label> {}
public struct Canvas<Symbols> {}
public struct Capsule {}
public struct Circle {}
public struct Color {}
public struct ContentMode {}
public struct Divider {}
public struct Edge {}
public struct Ellipse {}
public struct Font {}
public struct Form<Content> {}
public struct Gradient {}
public struct Grid<Content> {}
public struct Group<Content> {}
public struct Image {}
public struct Label<Title, Icon> {}
public struct Link<Label> {}
public struct List<Content> {}
public struct Material {}
public struct Menu<Label> {}
public struct Namespace {}
public struct Path {}
public struct Picker<Label> {}
public struct Rectangle {}
public struct Section<Content> {}
public struct Settings<Content> {}
public struct Slider<Label> {}
public struct Spacer {}
public struct Stepper<Label> {}
public struct Table<Value> {}
public struct Text {}
public struct TextField<Label> {}
public struct Toggle<Label> {}
public struct ToolbarItem<Content> {}
public struct Transaction {}
public struct UnitPoint {}
public struct Visibility {}
public struct Window<Content> {}
public struct WindowGroup<Content> {}
