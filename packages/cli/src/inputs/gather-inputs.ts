import { basename } from 'node:path';
import { CliError, EXIT_CODES } from '../failure.ts';
import { openFile } from '../open-file.ts';
import { askLine, askSecret, canAsk } from '../prompt.ts';
import { printable } from '../table.ts';
import type { World } from '../world.ts';
import type { InputSchema } from './input-schema.ts';
import { missingPlaces, placeOf, withValue } from './place.ts';
import type { Fields, Place } from './place.ts';
import { inWords, typedValue } from './typed-value.ts';

/** One `name=value` of a command line. */
export interface Assignment {
  readonly name: string;
  readonly text: string;
}

/** The sources from which a call's inputs are read. */
export interface InputSources {
  readonly toolSlug: string;
  /** Fields that assignments extend and override. */
  readonly base: Fields;
  readonly given: readonly Assignment[];
  /** The names of required inputs that the call gets from elsewhere; requested only if one is missing. */
  readonly fixedNames: () => Promise<readonly string[]>;
  /** The value of a file input with that content. */
  readonly fileInput: (content: Blob, name: string) => Promise<unknown>;
}

/**
 * The fields of a call, each value with the type that the schema declares for its place. Missing required inputs are prompted for at a
 * terminal. Throws a usage error that names the input and a remedy for an unknown name, a value of another type, a secret in an argument,
 * and, without a terminal, for a missing input. Files are not read before everything else is valid.
 */
export async function gatherInputs(world: World, input: InputSchema, sources: InputSources): Promise<Fields> {
  const { toolSlug, base, given, fixedNames, fileInput } = sources;
  const typed: (readonly [Place, string])[] = [...assignedPlaces(input, given, toolSlug)];
  const filled = typed.reduce((fields, [place, text]) => withText(input, fields, place, text), base);
  for (const place of await missing(world, input, filled, { toolSlug, fixedNames }))
    typed.push([place, await promptFor(world, input, place)]);
  const files = typed.flatMap(([place, text]) => fileOf(input, place, text));
  const opened = await Promise.all(
    files.map(async ({ place, path }) => ({ place, path, content: await openFile(world, path) })),
  );
  let fields = typed.reduce((all, [place, text]) => withText(input, all, place, text), base);
  for (const { place, path, content } of opened)
    fields = withValue(fields, place.path, await fileInput(content, basename(path)));
  return fields;
}

function assignedPlaces(
  input: InputSchema,
  assignments: readonly Assignment[],
  toolSlug: string,
): readonly (readonly [Place, string])[] {
  const names = new Set<string>();
  return assignments.map(({ name, text }) => {
    const place = placeOf(input, name);
    if (place === undefined) throw unknownInput(input, name, toolSlug);
    if (names.has(name)) throw usage(`${name} is given twice: give a list as JSON, ${name}='[…]'.`);
    names.add(name);
    if (input.isSecret(place.schema)) {
      const text = `${name} is secret, so it is never an argument: leave it out to be asked, or use --fields.`;
      throw usage(text);
    }
    return [place, text];
  });
}

function unknownInput(input: InputSchema, name: string, toolSlug: string): CliError {
  const known = input.names(input.root);
  const list = known.length === 0 ? 'It has no inputs.' : `Its inputs: ${known.join(', ')}.`;
  return usage(`${toolSlug} has no input ${name}. ${list}`);
}

function withText(input: InputSchema, fields: Fields, { path, schema }: Place, text: string): Fields {
  if (input.isFile(schema)) return withValue(fields, path, fileReference(text));
  const types = input.types(schema);
  const read = typedValue(types, text);
  if (read !== undefined) return withValue(fields, path, read.value);
  throw usage(`${path.join('.')} must be ${inWords(types)}, not ${JSON.stringify(text)}.`);
}

/** Parses a file input: JSON, an address, or the id of a stored file. */
function fileReference(text: string): unknown {
  const json = typedValue(new Set(['object']), text);
  if (json !== undefined) return json.value;
  return /^https?:\/\//.test(text) ? { url: text } : { fileId: text };
}

function fileOf(
  input: InputSchema,
  place: Place,
  text: string,
): readonly { readonly place: Place; readonly path: string }[] {
  if (!input.isFile(place.schema) || !text.startsWith('@')) return [];
  if (text.length === 1) throw usage(`${place.path.join('.')}: name the file after @.`);
  return [{ place, path: text.slice(1) }];
}

/** The places to prompt for. Throws a usage error that names them if there is no terminal. */
async function missing(
  world: World,
  input: InputSchema,
  fields: Fields,
  { toolSlug, fixedNames }: Pick<InputSources, 'toolSlug' | 'fixedNames'>,
): Promise<readonly Place[]> {
  const all = missingPlaces(input, fields);
  if (all.length === 0) return [];
  const fixed = new Set(await fixedNames());
  const places = all.filter(({ path: [first = ''] }) => !fixed.has(first));
  if (places.length === 0 || canAsk(world)) return places;
  const list = places.map((place) => `${place.path.join('.')} (${expected(input, place)})`).join(', ');
  const open = places.find(({ schema }) => !input.isSecret(schema));
  const way = open === undefined ? 'Use --fields' : `Add ${open.path.join('.')}=<value>, or use --fields`;
  throw usage(`${toolSlug} needs ${list}. ${way}. fairlead tools show ${toolSlug} lists the inputs.`);
}

async function promptFor(world: World, input: InputSchema, place: Place): Promise<string> {
  const { path, schema } = place;
  const name = path.join('.');
  const description = input.text(schema, 'description');
  const question = `${name} (${expected(input, place)})${description === undefined ? '' : `: ${description}`}`;
  const text = input.isSecret(schema)
    ? await askSecret(world, question, '--fields')
    : await askLine(world, question, `${name}=<value>`);
  if (text === '') throw usage(`${name} is required.`);
  return text;
}

/** Describes the values of an input. */
export function expected(input: InputSchema, { schema }: Pick<Place, 'schema'>): string {
  if (input.isFile(schema)) return '@path of a file, its id or its address';
  const choices = input.choices(schema);
  if (choices.length === 0) return inWords(input.types(schema));
  return choices.map((choice) => (typeof choice === 'string' ? choice : JSON.stringify(choice))).join(' | ');
}

function usage(text: string): CliError {
  return new CliError(EXIT_CODES.usage, printable(text));
}
