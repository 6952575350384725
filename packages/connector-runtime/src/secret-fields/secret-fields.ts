import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { LazyJson, parsedMembers } from '@fairlead/service-kit/json/lazy-json';
import type { LazyObject } from '@fairlead/service-kit/json/lazy-json';
import { MASK, MAX_SECRET_BYTES } from '../secret-masking.ts';
import { cutMaskedObject } from '../outputs/cut-json.ts';
import type { Masker } from '../value-masking.ts';
import { FlaggedPlaces } from './flagged-places.ts';
import type { Place } from './flagged-places.ts';
import { flaggedSchema } from './flagged-schema.ts';
import type { FlaggedSchema } from './flagged-schema.ts';

const MIN_REPEATED_LENGTH = 4;

/** The work of FlaggedPlaces for one value; a unit takes up to 0.1 µs of processor time. */
const MAX_WORK = 300_000;

/**
 * Masks the parts of a value that its schema flags as secret (`writeOnly: true` or `format: password`, at any depth).
 * `secrets` are the masked texts, so that they can also be masked where a vendor repeats them; very short ones are
 * omitted, because they would mask too much, and those beyond MAX_SECRET_BYTES, because everything counts as secret
 * then. Nothing of the value is read if the schema flags nothing. Schema and value
 * may be hostile: what cannot be decided within MAX_WORK, and every member if the schema is too large, counts as secret.
 */
export function maskSecretFields(
  schema: JsonObject,
  value: JsonObject,
): { readonly masked: JsonObject; readonly secrets: readonly string[] } {
  const flagged = flaggedSchema(schema);
  if (flagged === 'nothing') return { masked: value, secrets: [] };
  const places = new FlaggedPlaces(MAX_WORK);
  const secrets = new TextCollector();

  function mask(place: Place, part: Json): Json {
    if (place === 'plain' || part === null) return part;
    if (place === 'secret') {
      secrets.collect(part);
      return MASK;
    }
    if (typeof part !== 'object') return part;
    if (!isJsonArray(part)) return members(place, part);
    return part.map((item, index) => mask(places.item(place, index), item));
  }

  /** Copied only if something is masked: a large object costs. */
  function members(place: Place, part: JsonObject): JsonObject {
    if (place === 'plain') return part;
    let masked: Record<string, Json> | undefined;
    for (const [name, member] of Object.entries(part)) {
      const shown = mask(typeof place === 'object' ? places.member(place, name) : place, member);
      if (shown === member) continue;
      masked ??= { ...part };
      // Its own member by now, even if it is named `__proto__`.
      masked[name] = shown;
    }
    return masked ?? part;
  }

  return { masked: members(rootOf(flagged, places), value), secrets: [...secrets.texts] };
}

/** The same without a copy of the value: a large one takes a multiple of the time to read it. Only what is kept of it is masked. */
export class FlaggedFields {
  /** As maskSecretFields returns them. */
  readonly secrets: readonly string[];
  readonly #schema: JsonObject;
  readonly #value: LazyObject;
  #last: { readonly maxBytes: number; readonly masker: Masker; readonly cut: JsonObject } | undefined;

  /** `secrets` are what flaggedSecrets returns. */
  constructor(schema: JsonObject, value: LazyObject, secrets = flaggedSecrets(schema, value)) {
    this.#schema = schema;
    this.#value = value;
    this.secrets = secrets;
  }

  /** The whole value, masked where its schema flags it. */
  masked(): JsonObject {
    return maskSecretFields(this.#schema, parsedMembers(this.#value)).masked;
  }

  /** The same, cut to about so many bytes, and the masker's secrets masked too, as cutMaskedObject does. */
  cut(maxBytes: number, masker: Masker): JsonObject {
    // A call's are recorded when it begins and when it ends.
    if (this.#last?.masker !== masker || this.#last.maxBytes !== maxBytes)
      this.#last = { maxBytes, masker, cut: this.#cut(maxBytes, masker) };
    return this.#last.cut;
  }

  #cut(maxBytes: number, masker: Masker): JsonObject {
    const flagged = flaggedSchema(this.#schema);
    if (flagged === 'nothing') return cutMaskedObject(this.#value, maxBytes, masker);
    const places = new FlaggedPlaces(MAX_WORK);
    return cutMaskedObject(this.#value, maxBytes, masker, { places, root: rootOf(flagged, places) });
  }
}

/** The texts of all that the schema flags, as maskSecretFields returns them. A member of which it flags nothing is not parsed. */
export function flaggedSecrets(schema: JsonObject, value: LazyObject): readonly string[] {
  const flagged = flaggedSchema(schema);
  if (flagged === 'nothing') return [];
  const places = new FlaggedPlaces(MAX_WORK);
  const secrets = new TextCollector();
  const collect = (place: Place, given: Json | LazyJson): void => {
    if (place === 'plain') return;
    const part = given instanceof LazyJson ? given.parse() : given;
    if (place === 'secret') {
      secrets.collect(part);
    } else if (typeof part === 'object' && part !== null) {
      if (isJsonArray(part)) part.forEach((item, index) => collect(places.item(place, index), item));
      else members(place, part);
    }
  };
  const members = (place: Place, part: LazyObject): void => {
    for (const name of Object.keys(part))
      collect(typeof place === 'object' ? places.member(place, name) : place, part[name] ?? null);
  };
  members(rootOf(flagged, places), value);
  return [...secrets.texts];
}

function rootOf(flagged: FlaggedSchema | 'unknown', places: FlaggedPlaces): Place {
  return flagged === 'unknown' ? 'secret' : places.of(flagged);
}

/** Collects until there is more than is searched for: everything counts as secret then. */
class TextCollector {
  readonly texts = new Set<string>();
  #bytes = 0;

  collect(part: Json): void {
    if (this.#bytes > MAX_SECRET_BYTES) return;
    if (typeof part === 'string' || typeof part === 'number') this.#add(String(part));
    if (typeof part === 'object' && part !== null) for (const each of Object.values(part)) this.collect(each);
  }

  #add(text: string): void {
    if (text.length < MIN_REPEATED_LENGTH || this.texts.has(text)) return;
    this.texts.add(text);
    this.#bytes += Buffer.byteLength(text);
  }
}
