// Accessors and methods off the prototypes.
const get = (type, name, on) => Object.getOwnPropertyDescriptor(type.prototype, name).get.call(on);
const rootOf = (one) => Node.prototype.getRootNode.call(one);
const attribute = (one, name) => Element.prototype.getAttribute.call(one, name);
const isEditable = (one) => one instanceof HTMLElement && get(HTMLElement, "isContentEditable", one);
const isPassword = (one) => one instanceof HTMLInputElement && get(HTMLInputElement, "type", one) === "password";
