struct Point { 1: required i32 x, 2: required i32 y = 0, 3: optional string label }
union Either { 1: i32 left, 2: string right }
exception Failed { 1: string why }
const Point A = {"x": 1, "z": 2}
const Point B = {"y": 1}
const Point C = {"x": 1, "x": 2}
const Point D = {1: 2}
const Point E = {x: 1}
const Point F = [1, 2]
const Point G = 5
const Either H = {}
const Either I = {"left": 1, "right": "r"}
const Failed J = {"why": 1}
const Point K = {"x": "a", "label": 5}
const Point L = FAILED
const Failed FAILED = {"why": "x"}
struct Defaults {
  1: Point p = {"lable": "a", "x": 1}
  2: Either e = {"left": "a"}
  3: i32 n = NOTHING
}
union Two { 1: i32 a = 1, 2: i32 b = 2, 3: i32 c, 4: i32 d = 4 }
