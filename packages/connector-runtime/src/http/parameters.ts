import type { Json } from '@fairlead/connector-model/json';
import type { ValueStyle } from '@fairlead/connector-model/model';
import { isArray, isObject, textOf } from '../templates.ts';
import type { QueryPair } from './query.ts';

const SEPARATORS = { comma: ',', space: ' ', pipe: '|' } as const;

/** The parameters of a value in a query, a form or a multipart body. An empty list has none. */
export function* parametersOf(name: string, value: Json, style: ValueStyle): Generator<QueryPair> {
  switch (style) {
    case 'repeat':
      for (const item of isArray(value) ? value : [value]) yield [name, textOf(item)];
      return;
    case 'comma':
    case 'space':
    case 'pipe': {
      const parts = isObject(value) ? Object.entries(value).flat() : isArray(value) ? value : [value];
      if (parts.length > 0) yield [name, parts.map(textOf).join(SEPARATORS[style])];
      return;
    }
    case 'json':
      yield [name, typeof value === 'object' ? JSON.stringify(value) : textOf(value)];
      return;
    case 'members':
      for (const [member, inner] of isObject(value) ? Object.entries(value) : [[name, value] as const])
        yield* parametersOf(member, inner, 'repeat');
      return;
    case 'brackets':
    case 'indices':
      yield* nested(name, value, style);
  }
}

function* nested(name: string, value: Json, style: 'brackets' | 'indices'): Generator<QueryPair> {
  if (isArray(value)) {
    for (const [index, item] of value.entries())
      yield* nested(style === 'brackets' ? `${name}[]` : `${name}[${index}]`, item, style);
  } else if (isObject(value)) {
    for (const [member, inner] of Object.entries(value)) yield* nested(`${name}[${member}]`, inner, style);
  } else {
    // Forms have no null; vendors take an empty value as "clear this".
    yield [name, value === null ? '' : textOf(value)];
  }
}
