/** The client capabilities that matter to the servers behind ours, as a bit set; BITS has their order. */
export type CapabilityBits = number;

/** The members of `capabilities`, in bit order. The order must never change, because session ids contain the bits. */
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

/** No declared capabilities. */
export const NO_CAPABILITIES: CapabilityBits = 0;
/** Capabilities that let a server send requests to the client. */
const ASKABLE = BITS.reduce(
  (bits, [first], at) =>
    ['sampling', 'elicitation', 'roots'].includes(first ?? '') ? bits | (1 << at) : bits,
  NO_CAPABILITIES,
);

/** Converts declared capabilities, which may be any JSON. */
export function capabilityBits(declared: unknown): CapabilityBits {
  return BITS.reduce(
    (bits, path, at) => (isDeclared(declared, path) ? bits | (1 << at) : bits),
    NO_CAPABILITIES,
  );
}

/** Whether a server can send requests to the client. */
export function canBeAsked(bits: CapabilityBits): boolean {
  return (bits & ASKABLE) !== 0;
}

/** The JSON of the capabilities, as a client would declare them; empty: none. */
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

/** A cache with at most one entry for each combination in signed sessions. */
const texts = new Map<CapabilityBits, Uint8Array>();

/** Members with a boolean value; the others are objects. */
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
    // Elicitation without a mode means forms, the only kind before 2025-11-25.
    if (at > 0 && path[0] === 'elicitation' && name === 'form' && !('url' in value)) return true;
    value = Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value === true || isObject(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
