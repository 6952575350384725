const FIRST_NOT_ASCII = 0x80;
const CAPITAL_A = 0x41;
const CAPITAL_Z = 0x5a;
/** The bit in which a lower-case ASCII letter differs from its capital. */
const SMALL = 0x20;

/** Compares two texts by code point, ignoring case: the order of names in catalogue lists. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  // Most names are ASCII; lower-casing both texts in each comparison would take ten times as long.
  for (let at = 0; at < length; at += 1) {
    const [unitA, unitB] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (unitA >= FIRST_NOT_ASCII || unitB >= FIRST_NOT_ASCII)
      return compareCodePoints(a.toLowerCase(), b.toLowerCase());
    const difference = smallLetter(unitA) - smallLetter(unitB);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function smallLetter(unit: number): number {
  return unit >= CAPITAL_A && unit <= CAPITAL_Z ? unit | SMALL : unit;
}

/** Compares two texts by code point; JavaScript's own order is by UTF-16 unit. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [unitA, unitB] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (unitA !== unitB) return rankOf(unitA) - rankOf(unitB);
  }
  return a.length - b.length;
}

/** The rank of a UTF-16 unit in code point order: surrogates, which form code points above U+FFFF, come last. */
function rankOf(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  return isSurrogate ? unit + 0x1_00_00 : unit;
}
