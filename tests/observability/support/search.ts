/** Something that may hold a secret, and where it comes from. */
export interface Evidence {
  readonly place: string;
  readonly bytes: Buffer;
}

/** A secret and the name by which a failure of the test tells of it. */
export interface PlantedSecret {
  readonly name: string;
  readonly value: string;
}

const SHORTEST = 8;

/** Where the secrets appear, in any form: `<name> as <form> in <place>: …<surroundings>…`. */
export function findSecrets(secrets: readonly PlantedSecret[], evidence: readonly Evidence[]): string[] {
  return secrets.flatMap(({ name, value }) => {
    if (value.length < SHORTEST) throw new Error(`${name} is too short to be told from chance.`);
    return formsOf(value).flatMap(([form, text]) =>
      evidence.flatMap(({ place, bytes }) => {
        const at = bytes.indexOf(text);
        return at === -1 ? [] : [`${name} as ${form} in ${place}: …${surroundings(bytes, at, text)}…`];
      }),
    );
  });
}

/** What a secret looks like where code has put it into something else. */
export function formsOf(value: string): [form: string, text: string][] {
  const bytes = Buffer.from(value);
  const forms: [string, string][] = [
    ['plain text', value],
    ['URL-encoded', encodeURIComponent(value)],
    ['form-encoded', new URLSearchParams({ v: value }).toString().slice(2)],
    ['JSON', JSON.stringify(value).slice(1, -1)],
    ['hexadecimal', bytes.toString('hex')],
  ];
  // Three neighbours give three alignments; only what no neighbour touches is looked for.
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

function surroundings(bytes: Buffer, at: number, text: string): string {
  const around = bytes.subarray(Math.max(0, at - 200), at + text.length + 60).toString('latin1');
  return around.replaceAll(text, '<SECRET>').replaceAll(/[^\x20-\x7e]/g, '.');
}
