import type { ConnectorHead, Json } from '@fairlead/connector-model/model';
import type { EgressResponse } from '@fairlead/service-kit/egress/egress';
import { XMLParser } from 'fast-xml-parser';
import { CallFailure } from '../failure.ts';
import { isArray, isObject } from '../templates.ts';
import { textOf } from './body.ts';

/** The largest document: it is parsed in the thread that serves all calls. */
const MAX_XML_BYTES = 2 * 1024 * 1024;

type XmlRule = NonNullable<ConnectorHead['xml']>;

/**
 * A response in XML as one in JSON, by the connector's rule: an element is a member of its parent, its text a string, and attributes are
 * left out. Any other response as it is. Throws CallFailure for a document that is too large or declares entities.
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
  // Entities that a document declares can stand for far more than it holds.
  if (/<!DOCTYPE/i.test(text)) throw new CallFailure(`${name} sent XML with a document type.`);
  const lists = new Set(rule.lists);
  const parser = new XMLParser({
    ignoreAttributes: true,
    ignoreDeclaration: true,
    parseTagValue: false,
    isArray: (element) => lists.has(element),
  });
  try {
    // Objects, lists and texts alone.
    return typed(parser.parse(text) as Json, new Set(rule.numbers));
  } catch (error) {
    throw new CallFailure(`${name} sent XML that cannot be read.`, { cause: error });
  }
}

/** The value with the whole numbers of some elements as numbers. */
function typed(value: Json, numbers: ReadonlySet<string>, element = ''): Json {
  if (isArray(value)) return value.map((item) => typed(item, numbers, element));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, typed(inner, numbers, name)] as const),
    );
  if (typeof value === 'string' && numbers.has(element) && /^-?\d{1,15}$/.test(value)) return Number(value);
  return value;
}
