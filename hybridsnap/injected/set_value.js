function (value, act) {
  // @include control_at
  // @include left
  const kind = at ? kindOf(at) : "";
  if (!MOMENT.has(kind)) return { refused: "wrong kind", kind };
  const reason = refusalOf(at) || changed()
    || (at.readOnly && kind !== "range" && kind !== "color" && "read-only");
  if (reason) return { refused: reason };
  const own = Document.prototype.createElement.call(document, "input");
  own.type = kind;
  const copied = { range: ["min", "max", "step"], color: ["alpha", "colorspace"] }[kind] ?? [];
  for (const name of copied) if (at.hasAttribute(name)) own.setAttribute(name, at.getAttribute(name));
  own.value = value;
  const plain = !own.hasAttribute("alpha") && !own.hasAttribute("colorspace");
  if (value !== "" && own.value === "") return { refused: "format" };
  if (kind === "color" && plain && own.value !== value.toLowerCase()) return { refused: "format" };
  if (kind === "range" && Number(own.value) !== Number(value)) {
    const [min, max, step] = [at.min || "0", at.max || "100", at.step || "1"];
    return { refused: "value", nearest: own.value, min, max, step };
  }
  if (!act) return {};
  const unable = focusOn(at) || displaced();
  if (unable) return { refused: unable };
  if (sleeps(at)) return { asleep: true };
  const changes = at.value !== own.value || at.validity.badInput;
  if (changes) {
    at.value = own.value;
    fire(at, "input");
    fire(at, "change");
  }
  leave(at, true);
  return {
    changes,
    kept: at.value === own.value,
    invalid: at.willValidate && !at.validity.valid ? at.validationMessage : "",
  };
}
