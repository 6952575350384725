import { RegExpParser } from '@eslint-community/regexpp';
import type { AST } from '@eslint-community/regexpp';

/** Maximum number of positions (characters that the pattern can consume, each with its followers). */
const MAX_POSITIONS = 1_000;
/** Maximum number of ways through an anchored pattern without endless repetition. */
const MAX_WAYS = 100;
/** Maximum of the same number times the length, for a pattern that is tried at every character. */
const MAX_STEPS_PER_CHARACTER = 32;
const LAST_CODE_POINT = 0x10_ff_ff;

type Leaf = AST.Character | AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass;

/** A part of the pattern that consumes one character. */
interface Position {
  readonly leaf: Leaf;
  /** Positions that can consume the next character, once per way to reach them. */
  readonly next: Position[];
}

/** The start and end of a part of the pattern. */
interface Part {
  readonly first: readonly Position[];
  readonly last: readonly Position[];
  /** Whether the part can match the empty text. If so, it can in only one way. */
  readonly isNullable: boolean;
}

const EMPTY: Part = { first: [], last: [], isNullable: true };

class Refusal extends Error {}

/**
 * Says why a pattern (in Unicode mode, as JSON Schema uses them) is not known to be matched in a time linear in the text;
 * undefined: it is proved. A proved pattern has no look-around and no backreference, and either
 * - is anchored by `^`, and each character of the text decides where in the pattern it belongs: what may come next never
 *   overlaps, so that a backtracking matcher visits each pair of a place in the text and one in the pattern once; or
 * - repeats nothing endlessly and has few ways through it.
 * Patterns outside of that may be linear too; authors write them differently.
 */
export function patternProblem(pattern: string): string | undefined {
  // The operator's setting would become part of the pattern, unproved.
  if (pattern.includes('{{')) return 'it has a placeholder';
  try {
    const { alternatives } = new RegExpParser().parsePattern(pattern, 0, pattern.length, { unicode: true });
    const { ways, length } = sizeOf(alternatives);
    if (!alternatives.every(isAnchored)) {
      if (ways * length <= MAX_STEPS_PER_CHARACTER) return undefined;
      throw new Refusal('it has to begin with ^');
    }
    if (ways <= MAX_WAYS && length < Infinity) return undefined;
    requireDistinct(new Positions().alternatives(alternatives).first);
    return undefined;
  } catch (error) {
    return error instanceof Refusal || error instanceof SyntaxError ? error.message : String(error);
  }
}

function isAnchored({ elements: [first] }: AST.Alternative): boolean {
  return first?.type === 'Assertion' && first.kind === 'start';
}

/** Builds the positions of a pattern. Throws Refusal at the first place where a character fits two positions. */
class Positions {
  #count = 0;

  alternatives(alternatives: readonly AST.Alternative[]): Part {
    const parts = alternatives.map(({ elements }) =>
      elements.map((element) => this.#element(element)).reduce(inSequence, EMPTY),
    );
    if (parts.filter(({ isNullable }) => isNullable).length > 1)
      throw new Refusal('two alternatives can match the empty text');
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      isNullable: parts.some(({ isNullable }) => isNullable),
    };
  }

  #element(element: AST.Element): Part {
    switch (element.type) {
      case 'Assertion':
        if (element.kind === 'lookahead' || element.kind === 'lookbehind')
          throw new Refusal(`${element.raw} is a lookaround, which is not allowed`);
        return EMPTY;
      case 'Backreference':
        throw new Refusal(`${element.raw} is a backreference, which is not allowed`);
      case 'Quantifier':
        return this.#repetition(element);
      case 'Group':
        if (element.modifiers !== null) throw new Refusal(`${element.raw} changes its flags`);
        return this.alternatives(element.alternatives);
      case 'CapturingGroup':
        return this.alternatives(element.alternatives);
      default:
        return this.#character(element);
    }
  }

  #character(leaf: Leaf): Part {
    this.#count += 1;
    if (this.#count > MAX_POSITIONS) throw new Refusal('it repeats too much; bound the length by maxLength');
    const position: Position = { leaf, next: [] };
    return { first: [position], last: [position], isNullable: false };
  }

  #repetition({ element, min, max, raw }: AST.Quantifier): Part {
    const copy = (): Part => {
      const part = this.#element(element);
      if (part.isNullable) throw new Refusal(`${raw} repeats what can match the empty text`);
      return part;
    };
    // Optional copies are nested: each copy can only follow the previous one.
    let tail = EMPTY;
    if (max === Infinity) {
      tail = copy();
      link(tail.last, tail.first);
      if (min === 0) tail = { ...tail, isNullable: true };
    } else {
      for (let index = min; index < max; index += 1) tail = { ...inSequence(copy(), tail), isNullable: true };
    }
    const required = max === Infinity ? min - 1 : min;
    for (let index = 0; index < required; index += 1) tail = inSequence(copy(), tail);
    return tail;
  }
}

function inSequence(before: Part, after: Part): Part {
  link(before.last, after.first);
  return {
    first: before.isNullable ? [...before.first, ...after.first] : before.first,
    last: after.isNullable ? [...before.last, ...after.last] : after.last,
    isNullable: before.isNullable && after.isNullable,
  };
}

function link(from: readonly Position[], to: readonly Position[]): void {
  if (to.length === 0) return;
  for (const { next } of from) {
    next.push(...to);
    requireDistinct(next);
  }
}

function requireDistinct(positions: readonly Position[]): void {
  positions.forEach((position, index) => {
    for (const other of positions.slice(0, index)) {
      if (overlap(position.leaf, other.leaf))
        throw new Refusal(
          `a character can belong to ${other.leaf.raw} as well as to ${position.leaf.raw} after it`,
        );
    }
  });
}

/** Maximum number of ways to match a text, and the length of the longest match; Infinity with endless repetition. */
function sizeOf(alternatives: readonly AST.Alternative[]): {
  readonly ways: number;
  readonly length: number;
} {
  const sizes = alternatives.map(({ elements }) =>
    elements
      .map(elementSize)
      .reduce((all, { ways, length }) => ({ ways: all.ways * ways, length: all.length + length }), {
        ways: 1,
        length: 0,
      }),
  );
  return {
    ways: sizes.reduce((sum, { ways }) => sum + ways, 0),
    length: Math.max(...sizes.map(({ length }) => length)),
  };
}

function elementSize(element: AST.Element): { readonly ways: number; readonly length: number } {
  const endless = { ways: Infinity, length: Infinity };
  switch (element.type) {
    case 'Group':
    case 'CapturingGroup':
      return sizeOf(element.alternatives);
    case 'Quantifier': {
      const { min, max } = element;
      const { ways, length } = elementSize(element.element);
      if (max === Infinity) return endless;
      let all = 0;
      for (let count = min; count <= max && all <= MAX_WAYS; count += 1) all += ways ** count;
      return { ways: all, length: length * max };
    }
    case 'Assertion':
      return element.kind === 'lookahead' || element.kind === 'lookbehind' ? endless : { ways: 1, length: 0 };
    case 'Backreference':
      return endless;
    default:
      return { ways: 1, length: 1 };
  }
}

/** Whether two character classes overlap. */
function overlap(a: Leaf, b: Leaf): boolean {
  const others = rangesOf(b);
  return rangesOf(a).some(([from, to]) => others.some((other) => other[0] <= to && from <= other[1]));
}

type Ranges = readonly (readonly [from: number, to: number])[];

/** Cached by the source of the class; a build has few different classes. */
const known = new Map<string, Ranges>();

/** The code points in a class, according to the regular expression engine. */
function rangesOf(leaf: Leaf): Ranges {
  if (leaf.type === 'Character') return [[leaf.value, leaf.value]];
  let ranges = known.get(leaf.raw);
  if (ranges === undefined) known.set(leaf.raw, (ranges = askEngine(new RegExp(`^${leaf.raw}$`, 'u'))));
  return ranges;
}

function askEngine(one: RegExp): Ranges {
  const ranges: [number, number][] = [];
  for (let codePoint = 0; codePoint <= LAST_CODE_POINT; codePoint += 1) {
    if (!one.test(String.fromCodePoint(codePoint))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === codePoint - 1) last[1] = codePoint;
    else ranges.push([codePoint, codePoint]);
  }
  return ranges;
}
