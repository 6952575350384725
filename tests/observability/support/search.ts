/** A place that may contain a secret. */
export interface Evidence {
  readonly place: string;
  readonly bytes: Buffer;
}

/** A secret, and its name in failures. */
export interface PlantedSecret {
  readonly name: string;
  readonly value: string;
}

const SHORTEST = 8;

interface Pattern {
  readonly name: string;
  readonly form: string;
  readonly bytes: Buffer;
}

/** Occurrences of the secrets, in any encoding: `<name> as <form> in <place>: …<surroundings>…`. */
export function findSecrets(secrets: readonly PlantedSecret[], evidence: readonly Evidence[]): string[] {
  const patterns = secrets.flatMap(({ name, value }): Pattern[] => {
    if (value.length < SHORTEST) throw new Error(`${name} is too short to be told from chance.`);
    return formsOf(value).map(([form, text]) => ({ name, form, bytes: Buffer.from(text) }));
  });
  const search = createSearch(patterns);
  return evidence.flatMap(({ place, bytes }) =>
    search(bytes).map(
      ({ at, pattern }) =>
        `${pattern.name} as ${pattern.form} in ${place}: …${surroundings(bytes, at, pattern.bytes)}…`,
    ),
  );
}

/**
 * Finds the first occurrence of each pattern, of all at once by their first four bytes: a suite has hundreds of secrets in a dozen
 * encodings each, and hundreds of megabytes of evidence.
 */
function createSearch(
  patterns: readonly Pattern[],
): (bytes: Buffer) => { readonly at: number; readonly pattern: Pattern }[] {
  const byStart = Map.groupBy(patterns, ({ bytes }) => bytes.readInt32LE(0));
  const mayStart = new Uint8Array(1 << SLOT_BITS);
  for (const start of byStart.keys()) mayStart[slotOf(start)] = 1;
  return (bytes) => {
    const found = new Map<Pattern, number>();
    let start = bytes.length < SHORTEST ? 0 : bytes.readInt32LE(0);
    for (let at = 0; at + SHORTEST <= bytes.length; at += 1) {
      // A table look-up rules out nearly every position.
      if (mayStart[slotOf(start)] === 1) {
        for (const pattern of byStart.get(start) ?? []) {
          const isHere =
            !found.has(pattern) && bytes.subarray(at, at + pattern.bytes.length).equals(pattern.bytes);
          if (isHere) found.set(pattern, at);
        }
      }
      start = (start >>> 8) | ((bytes[at + 4] ?? 0) << 24);
    }
    return [...found].map(([pattern, at]) => ({ at, pattern }));
  };
}

/** The encodings of a secret embedded in other text. */
export function formsOf(value: string): [form: string, text: string][] {
  const bytes = Buffer.from(value);
  const forms: [string, string][] = [
    ['plain text', value],
    ['URL-encoded', encodeURIComponent(value)],
    ['form-encoded', new URLSearchParams({ v: value }).toString().slice(2)],
    ['JSON', JSON.stringify(value).slice(1, -1)],
    ['hexadecimal', bytes.toString('hex')],
  ];
  // Base64 has three alignments; only the part that is unaffected by neighbours is searched.
  for (const before of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const start = before === 0 ? 0 : before + 1;
    const end = Math.floor((padded.length * 8) / 6);
    forms.push([`base64 at ${before}`, padded.toString('base64').slice(start, end)]);
    forms.push([`base64url at ${before}`, padded.toString('base64url').slice(start, end)]);
    const inUrl = encodeURIComponent(padded.toString('base64').slice(start, end));
    forms.push([`base64 in a URL at ${before}`, inUrl]);
  }
  return [...new Map(forms.map(([form, text]) => [text, form])).entries()].map(([text, form]) => [
    form,
    text,
  ]);
}

const SLOT_BITS = 20;

/** Hashes four bytes into the table by multiplication with a large odd number. */
function slotOf(start: number): number {
  return Math.imul(start, 0x9e3779b1) >>> (32 - SLOT_BITS);
}

function surroundings(bytes: Buffer, at: number, text: Buffer): string {
  const around = bytes.subarray(Math.max(0, at - 200), at + text.length + 60).toString('latin1');
  return around.replaceAll(text.toString('latin1'), '<SECRET>').replaceAll(/[^\x20-\x7e]/g, '.');
}
