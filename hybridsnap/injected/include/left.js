// What an action has left in a field: the proof of its element and a later look ask whether it is still so. `watched`:
// the action's own observers ask, too; not of a field whose text may have been sent off.
const leave = (field, watched) => {
  (globalThis[Symbol.for("hybridsnap typed")] ??= new WeakMap()).set(field, field.value);
  if (!watched) return;
  for (const watch of globalThis[Symbol.for("hybridsnap watches")]?.values() ?? []) watch.left = [field, field.value];
};
