// The program whose facts are in this folder, with the part of the library that it uses.

import java.security.AccessController;
import java.security.PrivilegedAction;

interface Shape {
    Object area();

    default Shape doubled() {
        return new Pair(this, this);
    }
}

interface Solid extends Shape {
    default Shape doubled() {
        return this;
    }
}

abstract class Base implements Shape {
    Object tag;

    Base(Object tag) {
        this.tag = tag;
    }

    abstract Object describe();
}

class Square extends Base {
    static Object unit = "unit square";

    Square(Object tag) {
        super(tag);
    }

    public Object area() {
        return unit;
    }

    Object describe() {
        return tag;
    }
}

class Circle extends Base implements Solid {
    Object spare;

    Circle(Object tag) {
        super(tag);
    }

    public Object area() {
        return describe();
    }

    Object describe() {
        return this.hidden();
    }

    private Object hidden() {
        spare = tag;
        return "circle";
    }
}

class Triangle extends Base {
    Triangle(Object tag) {
        super(tag);
    }

    public Object area() {
        return describe();
    }

    Object describe() {
        return "triangle";
    }
}

class Pair implements Shape {
    Shape[] parts;
    Object note;

    Pair(Shape left, Shape right) {
        Shape[] fresh = new Shape[2];
        fresh[0] = left;
        fresh[1] = right;
        parts = fresh;
    }

    public Object area() {
        Shape first = parts[0];
        return first.area();
    }
}

class Registry {
    static Registry only;
    static Object log;

    static {
        only = new Registry();
        log = "started";
    }

    Shape[] shapes;

    Registry() {
        shapes = new Shape[8];
    }

    void add(Shape shape) {
        Shape[] larger = new Shape[16];
        System.arraycopy(shapes, 0, larger, 0, 8);
        larger[8] = shape;
        shapes = larger;
    }

    Shape get() {
        return shapes[0];
    }
}

class Worker extends Thread {
    Shape shape;

    Worker(Shape shape) {
        this.shape = shape;
    }

    public void run() {
        Object found = shape.area();
    }
}

class Reading implements PrivilegedAction {
    public Object run() {
        return "secret";
    }
}

class Main {
    static Object last;

    public static void main(String[] args) {
        Shape square = new Square(args[0]);
        Shape circle = new Circle("red");
        Registry registry = Registry.only;
        registry.add(square);
        Shape again = circle;
        registry.add(again);
        Shape some = registry.get();
        Object area = some.area();
        String text = (String) area;
        Base base = (Base) some.doubled();
        Object told = base.describe();
        Worker worker = new Worker(circle);
        worker.start();
        Object secret = AccessController.doPrivileged(new Reading());
        last = secret;
        Object[] copy = args.clone();
        copy[0] = square;       // refused: these are strings
        Object same = copy[0];
        walk(some, registry);
        nobody(square);
    }

    static Shape walk(Shape shape, Registry registry) {
        Shape next = shape.doubled();
        return walk(next, registry);
    }

    static void unused() {
        Shape triangle = new Triangle("never");
        Registry.only.add(triangle);
    }

    static void nobody(Shape shape) {
        absent.Library odd;     // of which there is nothing to read
        Shape none = null;
        none.area();
    }
}
