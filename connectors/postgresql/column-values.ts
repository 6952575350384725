import type { Json } from '@fairlead/connector-model/json';
import { parseVendorJson } from '@fairlead/connector-runtime/json-limits';
import { parseArray } from './array-text.ts';

type Parser = (text: string) => Json;

const asNumber: Parser = (text) => {
  const value = Number(text);
  // NaN and the infinities cannot be JSON numbers.
  return Number.isFinite(value) ? value : text;
};
const asJson: Parser = (text) => parseVendorJson(text, 'A JSON column');
/** `2026-01-31 10:00:00.5+00` (the session's zone is UTC) → `2026-01-31T10:00:00.5Z`; `infinity` stays. */
const asTimestamp: Parser = (text) => text.replace(' ', 'T').replace(/\+00$/, 'Z');
const asBase64: Parser = (text) => Buffer.from(text.replace(/^\\x/, ''), 'hex').toString('base64');
const asText: Parser = (text) => text;

/**
 * By type oid. int8 and numeric stay text: a JSON number would lose their last digits. Types that are not listed keep
 * the database's text form.
 */
const SCALARS = new Map<number, Parser>([
  [16, (text) => text === 't'],
  [17, asBase64],
  [21, asNumber],
  [23, asNumber],
  [26, asNumber],
  [114, asJson],
  [700, asNumber],
  [701, asNumber],
  [1114, asTimestamp],
  [1184, asTimestamp],
  [3802, asJson],
]);

/** Array type oid → oid of its elements. */
const ELEMENTS = new Map<number, number>([
  [199, 114],
  [1000, 16],
  [1001, 17],
  [1005, 21],
  [1007, 23],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1115, 1114],
  [1182, 1082],
  [1183, 1083],
  [1185, 1184],
  [1231, 1700],
  [2951, 2950],
  [3807, 3802],
]);

/**
 * Returns the parser that turns a column's text into JSON. Integers up to 32 bits and floats become numbers, int8 and
 * numeric strings, timestamps ISO 8601, bytea base64; booleans, json and arrays keep their type. The parser throws
 * HandlerError for what the type does not allow, and for JSON above the limits of parseVendorJson.
 */
export function columnParser(oid: number): Parser {
  const element = ELEMENTS.get(oid);
  if (element === undefined) return SCALARS.get(oid) ?? asText;
  const parseElement = SCALARS.get(element) ?? asText;
  return (text) => parseArray(text, parseElement);
}
