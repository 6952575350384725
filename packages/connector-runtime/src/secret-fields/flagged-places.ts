import type { FlaggedSchema } from './flagged-schema.ts';

/** The secrecy of a part of a value: not secret, secret as a whole, or with parts that may be secret. */
export type Place = 'plain' | 'secret' | OpenPlace;

/** A place with possibly secret members or items, and the results that are known so far. */
interface OpenPlace {
  readonly schemas: readonly FlaggedSchema[];
  /** Places of the members that the schemas name. A member's place is created when the member is first visited. */
  names: Map<string, Place | undefined> | undefined;
  others: Place | undefined;
  readonly items: (Place | undefined)[];
  readonly tupleLength: number;
  rest: Place | undefined;
}

/**
 * Finds the places of the parts of one value. Schemas that apply to a part are combined once for all parts to which
 * the same schemas apply. Each part and each combined subschema costs a unit of work; once `maxWork` is spent, every
 * place is secret.
 */
export class FlaggedPlaces {
  #workLeft: number;
  readonly #ids = new Map<FlaggedSchema, number>();
  readonly #places = new Map<string, OpenPlace>();

  constructor(maxWork: number) {
    this.#workLeft = maxWork;
  }

  /** The place of a value to which `schema` applies. */
  of(schema: FlaggedSchema): Place {
    return this.#placeOf([schema]);
  }

  member(place: OpenPlace, name: string): Place {
    if (!this.#spend(1)) return 'secret';
    place.names ??= this.#namesOf(place.schemas);
    if (!place.names.has(name)) return (place.others ??= this.#placeOfMember(place.schemas, undefined));
    let found = place.names.get(name);
    if (found === undefined) {
      found = this.#placeOfMember(place.schemas, name);
      place.names.set(name, found);
    }
    return found;
  }

  item(place: OpenPlace, index: number): Place {
    if (!this.#spend(1)) return 'secret';
    if (index < place.tupleLength) return (place.items[index] ??= this.#placeOfItem(place.schemas, index));
    return (place.rest ??= this.#placeOfItem(place.schemas, index));
  }

  #namesOf(schemas: readonly FlaggedSchema[]): Map<string, Place | undefined> {
    const names = new Map<string, Place | undefined>();
    for (const { members } of schemas) {
      if (!this.#spend(members.size)) break;
      for (const name of members.keys()) names.set(name, undefined);
    }
    return names;
  }

  /** The place of member `name`; undefined: of a member that no schema names. */
  #placeOfMember(schemas: readonly FlaggedSchema[], name: string | undefined): Place {
    const found: (FlaggedSchema | undefined)[] = [];
    for (const { members, patterns, others } of schemas) {
      if (!this.#spend(1 + patterns.length)) return 'secret';
      found.push(name !== undefined && members.has(name) ? members.get(name) : others);
      for (const pattern of patterns) found.push(pattern);
    }
    return this.#placeOf(found);
  }

  #placeOfItem(schemas: readonly FlaggedSchema[], index: number): Place {
    if (!this.#spend(schemas.length)) return 'secret';
    return this.#placeOf(schemas.map(({ tuple, rest }) => (index < tuple.length ? tuple[index] : rest)));
  }

  #placeOf(schemas: readonly (FlaggedSchema | undefined)[]): Place {
    const all = new Set(schemas.filter((schema) => schema !== undefined));
    // The loop also visits elements that are added to the set meanwhile.
    for (const { isSecret, combined } of all) {
      if (isSecret || !this.#spend(1 + combined.length)) return 'secret';
      for (const each of combined) all.add(each);
    }
    const describing = [...all].filter(describesParts);
    return describing.length === 0 ? 'plain' : this.#openPlace(describing);
  }

  #openPlace(schemas: readonly FlaggedSchema[]): OpenPlace {
    const ids = schemas.map((schema) => this.#idOf(schema)).toSorted((a, b) => a - b);
    const key = ids.join(' ');
    let place = this.#places.get(key);
    if (place === undefined) {
      const tupleLength = schemas.reduce((longest, { tuple }) => Math.max(longest, tuple.length), 0);
      place = { schemas, names: undefined, others: undefined, items: [], tupleLength, rest: undefined };
      this.#places.set(key, place);
    }
    return place;
  }

  #idOf(schema: FlaggedSchema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }

  #spend(units: number): boolean {
    this.#workLeft -= units;
    return this.#workLeft >= 0;
  }
}

function describesParts({ members, patterns, others, tuple, rest }: FlaggedSchema): boolean {
  return members.size + patterns.length + tuple.length > 0 || others !== undefined || rest !== undefined;
}
