import type { JsonObject } from '@fairlead/connector-model/json';

/** JSON text that is costly within the limits of a body. */
interface DearValue<T = string> {
  readonly name: string;
  /** The text, or its meaning. Its names are new for each call, because an engine processes known names and shapes faster. */
  readonly create: () => T;
}

const MIB = 1024 * 1024;
/** Bytes reserved for the rest of the request. */
const MAX_BYTES = 5 * MIB - 2_000;
/** Numbers just below the limits, because the rest of the request has values and names, too. */
const VALUES = 99_900;
const NAMES = 4_900;
const TOOLS = 1_000;

let generation = 0;

/** The costliest JSON texts of each kind, for their size. */
export function dearValues(): readonly DearValue[] {
  const value = (name: string, create: (mark: string) => string): DearValue => ({
    name,
    create: () => create(`g${(generation += 1)}`),
  });
  const repeated = (text: string, count: number): string =>
    `[${Array(Math.floor(count)).fill(text).join(',')}]`;
  const filled = (text: string): string => text.repeat(Math.floor(MAX_BYTES / Buffer.byteLength(text)));
  return [
    value('different names in one object', (mark) => objectOf(NAMES, (at) => `${mark}${at}`)),
    // Each counts as eight bytes.
    value('long names', (mark) => objectOf(NAMES / 8, (at) => `${mark}${at}`.padEnd(510, 'x'))),
    value('names of digits', (mark) =>
      objectOf(NAMES, (at) => `${Number(mark.slice(1)) * 100_000 + at * 3}`),
    ),
    value('objects of one new name each', (mark) => {
      const objects = Array.from({ length: NAMES }, (_object, at) => `{"${mark}${at}":1}`);
      return `[${[...objects, ...Array<string>(VALUES - 2 * NAMES).fill('1')].join(',')}]`;
    }),
    value('20 names in orders of their own', (mark) => shuffledObjects(mark, 20)),
    value('100 names in orders of their own', (mark) => shuffledObjects(mark, 100)),
    value('3 000 names in orders of their own', (mark) => shuffledObjects(mark, 3_000)),
    value('100 names in one order', (mark) =>
      repeated(
        objectOf(100, (at) => `${mark}${at}`),
        VALUES / 101,
      ),
    ),
    value('500 names in one order', (mark) =>
      repeated(
        objectOf(500, (at) => `${mark}${at}`),
        VALUES / 501,
      ),
    ),
    value('pairs of names', (mark) => pairs(mark, 100, NAMES)),
    value('numbers', () => repeated('1.2345678901234567e-300', VALUES)),
    value(
      'texts',
      (mark) => `[${Array.from({ length: VALUES }, (_text, at) => `"${mark}${at}"`).join(',')}]`,
    ),
    value('objects of one name', (mark) => repeated(`{"${mark}":1}`, VALUES / 2)),
    value('empty objects', () => repeated('{}', VALUES)),
    value('nested objects', (mark) => repeated(`${`{"${mark}":`.repeat(27)}1${'}'.repeat(27)}`, VALUES / 28)),
    value('escapes', () => `"${filled(String.raw`\n`)}"`),
    value('escaped letters', () => `"${filled(String.raw`\u4e00`)}"`),
    value('text beyond ASCII', () => `"${filled('aé一😀')}"`),
    value('one text', () => `"${filled('a')}"`),
  ];
}

/** JSON of vendors: within the limits, and with too many names, which the reader notices only late. */
export function dearResponses(): readonly DearValue[] {
  return [
    ...dearValues(),
    {
      name: '99 000 different names',
      create: () => {
        const mark = (generation += 1);
        return objectOf(99_000, (at) => `g${mark}_${at}`);
      },
    },
  ];
}

/** Bodies for an inbound address, which are limited by bytes only. */
export function dearHookBodies(): readonly DearValue[] {
  const filled = (part: string): string => part.repeat(Math.floor((MAX_BYTES - 2) / Buffer.byteLength(part)));
  return [
    {
      name: 'different names',
      create: () => {
        const mark = (generation += 1);
        return objectOf(300_000, (at) => `g${mark}_${at}`);
      },
    },
    { name: 'empty objects', create: () => `[${filled('{},')}1]` },
    { name: 'numbers', create: () => `[${filled('1,')}1]` },
    { name: 'levels', create: () => `${'['.repeat(MAX_BYTES / 2)}${']'.repeat(MAX_BYTES / 2)}` },
    { name: 'escapes', create: () => `"${filled(String.raw`\n`)}"` },
    { name: 'text beyond ASCII', create: () => `"${filled('aé一😀')}"` },
  ];
}

/** The maximum number of an MCP server's tools, with schemas and descriptions just below their limits. */
export function dearTools(): readonly DearValue<readonly JsonObject[]>[] {
  const tools = (schemaOf: (mark: string) => JsonObject) => (): readonly JsonObject[] => {
    const mark = `g${(generation += 1)}`;
    return Array.from({ length: TOOLS }, (_tool, at) => ({
      name: `tool-${at}`,
      description: `${mark}_${at} ${'é'.repeat(240)}`,
      inputSchema: { type: 'object', properties: schemaOf(`${mark}_${at}`) },
    }));
  };
  const members = (mark: string): JsonObject =>
    Object.fromEntries(Array.from({ length: 7 }, (_member, at) => [`${mark}_${7 - at}`, {}]));
  return [
    { name: 'different names', create: tools(members) },
    { name: 'long texts', create: tools((mark) => ({ [mark]: { description: 'é'.repeat(470) } })) },
  ];
}

function objectOf(names: number, nameOf: (at: number) => string): string {
  return `{${Array.from({ length: Math.floor(names) }, (_name, at) => `"${nameOf(at)}":1`).join(',')}}`;
}

/** Objects with differently ordered members: as many orders as the limit of names permits, then the last one repeatedly. */
function shuffledObjects(mark: string, names: number): string {
  const members = Array.from({ length: names }, (_name, at) => `"${mark}${at}":1`);
  const orders = Math.floor(NAMES / names);
  const objects = Array.from({ length: VALUES / (names + 1) }, (_object, at) => {
    if (at < orders) shuffle(members);
    return `{${members.join(',')}}`;
  });
  return `[${objects.join(',')}]`;
}

function shuffle(members: string[]): void {
  for (let last = members.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [members[last], members[other]] = [members[other] ?? '', members[last] ?? ''];
  }
}

/** Objects with `count` distinct pairs of names, repeated. */
function pairs(mark: string, names: number, count: number): string {
  const objects = Array.from({ length: VALUES / 3 }, (_object, index) => {
    const at = index % (count - names);
    const first = at % names;
    const second = (first + 1 + Math.floor(at / names)) % names;
    return `{"${mark}${first}":1,"${mark}-${second}":1}`;
  });
  return `[${objects.join(',')}]`;
}
