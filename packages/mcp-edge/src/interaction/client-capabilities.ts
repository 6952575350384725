/** The capabilities of a client that matter to the servers behind ours: a bit for each member in BITS. */
export type CapabilityBits = number;

/** The members of `capabilities` in the order of their bits, which never changes: session ids hold them. */
const BITS: readonly (readonly string[])[] = [
  ['sampling'],
  ['sampling', 'tools'],
  ['sampling', 'context'],
  ['elicitation', 'form'],
  ['elicitation', 'url'],
  ['roots'],
  ['roots', 'listChanged'],
  ['tasks', 'list'],
  ['tasks', 'cancel'],
  ['tasks', 'requests', 'elicitation', 'create'],
  ['tasks', 'requests', 'sampling', 'createMessage'],
];

/** A client that declared nothing. */
export const NO_CAPABILITIES: CapabilityBits = 0;
/** Capabilities by which a server can ask the client something. */
const ASKABLE = BITS.reduce(
  (bits, [first], at) =>
    ['sampling', 'elicitation', 'roots'].includes(first ?? '') ? bits | (1 << at) : bits,
  NO_CAPABILITIES,
);

/** Reads declared capabilities, which may be anything. */
export function capabilityBits(declared: unknown): CapabilityBits {
  return BITS.reduce(
    (bits, path, at) => (isDeclared(declared, path) ? bits | (1 << at) : bits),
    NO_CAPABILITIES,
  );
}

/** Whether a server can ask the client something. */
export function canBeAsked(bits: CapabilityBits): boolean {
  return (bits & ASKABLE) !== 0;
}

/** The JSON of the capabilities, as a client would declare them; empty: it has none. */
export function capabilitiesJson(bits: CapabilityBits): Uint8Array {
  const known = texts.get(bits);
  if (known !== undefined) return known;
  const root: Tree = new Map();
  BITS.forEach((path, at) => {
    if ((bits & (1 << at)) === 0) return;
    let tree = root;
    for (const name of path) {
      const inner: Tree = tree.get(name) ?? new Map();
      tree.set(name, inner);
      tree = inner;
    }
  });
  const text = root.size === 0 ? new Uint8Array() : Buffer.from(textOf(root));
  texts.set(bits, text);
  return text;
}

interface Tree extends Map<string, Tree> {}

/** At most one for each combination that a signed session can have. */
const texts = new Map<CapabilityBits, Uint8Array>();

/** Members that are flags; any other is an object. */
const FLAGS: ReadonlySet<string> = new Set(['listChanged']);

function textOf(tree: Tree): string {
  const members = [...tree].map(
    ([name, inner]) => `${JSON.stringify(name)}:${FLAGS.has(name) ? 'true' : textOf(inner)}`,
  );
  return `{${members.join(',')}}`;
}

function isDeclared(declared: unknown, path: readonly string[]): boolean {
  let value = declared;
  for (const [at, name] of path.entries()) {
    if (!isObject(value)) return false;
    // An elicitation without a mode is a form: versions before 2025-11-25 have no other.
    if (at > 0 && path[0] === 'elicitation' && name === 'form' && !('url' in value)) return true;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value === true || isObject(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
