import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
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

/** Maximum work of FlaggedPlaces for one value; a unit takes up to 0.1 µs of processor time. */
const MAX_WORK = 300_000;

/**
 * Masks the parts of a value that its schema flags as secret (`writeOnly: true` or `format: password`, at any depth).
 * `secrets` are the masked texts, so that they can also be masked where a vendor repeats them. Very short texts are
 * omitted, because they would mask too much; above MAX_SECRET_BYTES the rest is omitted, because everything counts as
 * secret then. If the schema flags nothing, the value is not read. Schema and value may be hostile: parts that cannot
 * be decided within MAX_WORK count as secret, and so do all members if the schema is too large.
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

  /** Objects are copied only if something is masked, because copying a large one is expensive. */
  function members(place: Place, part: JsonObject): JsonObject {
    if (place === 'plain') return part;
    let masked: Record<string, Json> | undefined;
    for (const [name, member] of Object.entries(part)) {
      const maskedValue = mask(typeof place === 'object' ? places.member(place, name) : place, member);
      if (maskedValue === member) continue;
      masked ??= { ...part };
      // The copy has this own member already, even if its name is `__proto__`.
      masked[name] = maskedValue;
    }
    return masked ?? part;
  }

  return { masked: members(rootOf(flagged, places), value), secrets: [...secrets.texts] };
}

/**
 * Masks like maskSecretFields, but without copying the whole value, which would take several times as long as reading
 * it. Only the kept part is masked.
 */
export class FlaggedFields {
  /** The secrets, as maskSecretFields returns them. */
  readonly secrets: readonly string[];
  readonly #schema: JsonObject;
  readonly #value: LazyObject;
  #last: { readonly maxBytes: number; readonly masker: Masker; readonly cut: JsonObject } | undefined;

  /** `secrets` is the result of flaggedSecrets. */
  constructor(schema: JsonObject, value: LazyObject, secrets = flaggedSecrets(schema, value)) {
    this.#schema = schema;
    this.#value = value;
    this.secrets = secrets;
  }

  /** The complete value, with flagged parts masked. */
  masked(): JsonObject {
    return maskSecretFields(this.#schema, parsedMembers(this.#value)).masked;
  }

  /** The value with flagged parts and the masker's secrets masked, cut to about `maxBytes` (cutMaskedObject). */
  cut(maxBytes: number, masker: Masker): JsonObject {
    // Cached, because the inputs of a call are recorded when it begins and when it ends.
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

/** All texts that the schema flags, as maskSecretFields returns them. Members without flagged parts are not parsed. */
export function flaggedSecrets(schema: JsonObject, value: LazyObject): readonly string[] {
  const flagged = flaggedSchema(schema);
  if (flagged === 'nothing') return [];
  const places = new FlaggedPlaces(MAX_WORK);
  const secrets = new TextCollector();
  const collect = (place: Place, value: Json | LazyJson): void => {
    if (place === 'plain') return;
    const part = value instanceof LazyJson ? value.parse() : value;
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

/** Collects secrets up to the searchable maximum; above it everything counts as secret. */
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
