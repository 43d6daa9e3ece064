// @include control_at
// For functions on a node: the control that a label labels is meant by the label too, and by what stands
// in it; not by what takes a click there itself.
// @include takes
const near = at && Element.prototype.closest.call(at, `label, ${TAKES}`);
const handsOn = near instanceof HTMLLabelElement && kindOf(at) !== "aria";
const meant = handsOn ? get(HTMLLabelElement, "control", near) ?? at : at;
