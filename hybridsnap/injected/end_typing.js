// (key, text, last, times, ms, up) → what became of the text: at once, or when the event `last` has come so many times;
// null, and the guard stands, where it does not come within so many milliseconds. `up`: what is known of the key that
// comes up behind the text, if one does.
async function (key, text, last, times, ms, up) {
  // @include controls
  // @include left
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
    // One that adds to what is typed, as a closing bracket, holds more; so does one with words of its own in it.
    const added = guard.isWhole && bare(now).length > bare(text).length
      && Element.prototype.querySelector.call(at, "[contenteditable=false]") === null;
    const unseen = text ? lost || added : now.trim() !== "";
    return { ...strayed, same: !unseen, tookNone };
  }
  if (guard.isProxy) {
    // It holds the lines around the caret, as the editor has made them (Monaco), that line (Ace), or what came last
    // (CodeMirror 5); of a long line a part, and nothing at times.
    const LONG = 200;
    const [front, back] = guard.lineHeld(), lines = text.split(/\r\n?|\n/), held = guard.held().trim();
    const passedOn = text !== "" && (!held || front.length + back.length > LONG);
    const isIn = text !== "" && (!guard.isWhole || lines.join("\n").includes(held))
      && front === (lines.length > 1 ? "" : guard.before) + lines.at(-1) && back === guard.after;
    const same = text === "" ? !held : isIn;
    return { ...strayed, same: passedOn || same, passedOn };
  }
  leave(at, guard.noted === undefined);
  const entered = at instanceof HTMLTextAreaElement
    ? text.replace(/\r\n?/g, "\n") : text.replace(/[\r\n]+$/, "").replace(/\r\n?|\n/g, " ");
  const held = guard.held();
  // Some draw the text only once it is confirmed: what was noted before Enter is not the last word then.
  const meant = guard.before + entered + guard.after, same = held === meant || at.value === meant;
  const most = at.maxLength;
  // Of a code that has a field for each character, the page hands the rest on to the fields behind it.
  const isHandedOn = () => {
    const root = rootOf(at), whole = guard.before + entered;
    const type = root instanceof ShadowRoot ? DocumentFragment : Document;
    const fields = [...type.prototype.querySelectorAll.call(root, "input")];
    let all = at.value;
    for (const one of fields.slice(fields.indexOf(at) + 1)) {
      if (all === whole || !whole.startsWith(all)) break;
      all += one.value;
      if (all === whole) return true;
    }
    return false;
  };
  // A number without its decimal sign is another: 125 of 12.5.
  const [, front, sign, back] = /^[-+]?(\d*)([.,])(\d+)$/.exec(entered) ?? [];
  const [first] = /\d+/.exec(held) ?? [];
  return {
    ...strayed,
    lostSign: !same && guard.before + guard.after === "" && sign && first === front + back ? { sign, held } : null,
    cut: !same && most >= 0 && held.length >= most && (guard.before + entered).startsWith(held)
      ? most : null,
    handedOn: !same && get(Node, "isConnected", at) && isHandedOn(),
    same,
    tookNone,
    // Of a field whose text was sent off nothing is asked.
    invalid: at.willValidate && !at.validity.valid && at.value === held ? at.validationMessage : "",
  };
}
