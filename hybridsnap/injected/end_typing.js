// (key, text, last, times, ms, up) → what became of the text: at once, or when the event `last` has come so many times;
// null, and the guard stands, where it does not come within so many milliseconds. `up`: what is known of the key that
// comes up behind the text, if one does.
async function (key, text, last, times, ms, up) {
  // @include controls
  const guard = globalThis[Symbol.for("hybridsnap guards")]?.get(key);
  if (!guard) return {};
  if (last && !await guard.comes(last, times, ms)) return null;
  if (up) guard.letUp(up);
  guard.end();
  if (guard.changed) return { changed: guard.changed, entered: guard.entered() };
  const at = guard.at;
  if (text && !get(Node, "isConnected", at) && !guard.entered()) return { gone: true };
  const tookNone = text !== "" && guard.tookNone();
  const strayed = { stray: guard.stray, first: guard.first, came: guard.entered() };
  if (contextOf(at)) return { ...strayed, same: guard.held() !== guard.before, tookNone };
  if (kindOf(at) === "editable") {
    const now = guard.held();
    // Of what an editor loses, the end goes: one that has not heard of a line break takes back all behind it. Of a
    // long text it may draw the end alone.
    const bare = (one) => one.replace(/[\s\u200b]+/g, "");
    const last = bare(text.trimEnd().split(/[\r\n]/).at(-1));
    const lost = (now === guard.before && now !== text) || !bare(now).includes(last);
    const unseen = text ? lost : now.trim() !== "";
    return { ...strayed, same: !unseen, tookNone };
  }
  if (guard.isProxy) return strayed;
  (globalThis[Symbol.for("hybridsnap typed")] ??= new WeakMap()).set(at, at.value);
  const entered = at instanceof HTMLTextAreaElement
    ? text.replace(/\r\n?/g, "\n") : text.replace(/[\r\n]+$/, "").replace(/\r\n?|\n/g, " ");
  const held = guard.held();
  const same = held === guard.before + entered + guard.after;
  const most = at.maxLength;
  // Of a code that has a field for each character, the page hands the rest on to the fields behind it.
  const isHandedOn = () => {
    const root = rootOf(at), whole = guard.before + entered;
    const type = root instanceof ShadowRoot ? DocumentFragment : Document;
    const fields = [...type.prototype.querySelectorAll.call(root, "input")];
    let all = "";
    for (const one of fields.slice(fields.indexOf(at))) {
      all += one.value;
      if (all === whole || !whole.startsWith(all)) break;
    }
    return all === whole;
  };
  return {
    ...strayed,
    cut: !same && most >= 0 && held.length >= most && (guard.before + entered).startsWith(held)
      ? most : null,
    handedOn: !same && get(Node, "isConnected", at) && isHandedOn(),
    same,
    tookNone,
    // Of a field whose text was sent off nothing is asked.
    invalid: at.willValidate && !at.validity.valid && at.value === held ? at.validationMessage : "",
  };
}
