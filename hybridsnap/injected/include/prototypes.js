// Accessors and methods off the prototypes.
const reader = (type, name) => {
  const read = Object.getOwnPropertyDescriptor(type.prototype, name).get;
  return (on) => read.call(on);
};
const caller = (type, name) => {
  const run = type.prototype[name];
  return (on, ...rest) => run.apply(on, rest);
};
