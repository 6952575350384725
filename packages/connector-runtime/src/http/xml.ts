import type { Json } from '@fairlead/connector-model/json';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/egress/egress';
import { XMLParser } from 'fast-xml-parser';
import { CallFailure } from '../failure.ts';
import { isArray, isObject } from '../templates.ts';
import { textOf } from './body.ts';

/** Largest XML document: it is parsed in the main thread. */
const MAX_XML_BYTES = 2 * 1024 * 1024;

type XmlRule = NonNullable<ConnectorHead['xml']>;

/**
 * Converts an XML response to JSON by the connector's rule: elements become members of their parents, texts become
 * strings, attributes are dropped. Any other response is returned unchanged. Throws CallFailure for a document that
 * is too large or declares entities.
 */
export function fromXml<R extends Pick<EgressResponse, 'headers' | 'body'>>(
  { name, xml }: Pick<ConnectorHead, 'name' | 'xml'>,
  response: R,
): R {
  if (xml === undefined || !/[/+]xml\b/i.test(response.headers['content-type'] ?? '')) return response;
  if (response.body.byteLength > MAX_XML_BYTES)
    throw new CallFailure(`${name} sent more than 2 MiB of XML. Ask for less.`);
  const body = Buffer.from(JSON.stringify(parsed(textOf(response), name, xml)));
  return { ...response, headers: { ...response.headers, 'content-type': 'application/json' }, body };
}

function parsed(text: string, name: string, rule: XmlRule): Json {
  // Declared entities can expand to a far larger text.
  if (/<!DOCTYPE/i.test(text)) throw new CallFailure(`${name} sent XML with a document type.`);
  const lists = new Set(rule.lists);
  const parser = new XMLParser({
    ignoreAttributes: true,
    ignoreDeclaration: true,
    parseTagValue: false,
    isArray: (element) => lists.has(element),
  });
  try {
    // The converted value contains objects, lists and strings only.
    return typed(parser.parse(text) as Json, new Set(rule.numbers));
  } catch (error) {
    throw new CallFailure(`${name} sent XML that cannot be read.`, { cause: error });
  }
}

/** The value, with strings of the rule's integer elements as numbers. */
function typed(value: Json, numbers: ReadonlySet<string>, element = ''): Json {
  if (isArray(value)) return value.map((item) => typed(item, numbers, element));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, typed(inner, numbers, name)] as const),
    );
  if (typeof value === 'string' && numbers.has(element) && /^-?\d{1,15}$/.test(value)) return Number(value);
  return value;
}
