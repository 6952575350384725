import { expect, it } from 'vitest';
import { fromXml } from './xml.ts';

const rule = { lists: ['Item'], numbers: ['Size'] };
const read = (body: string, contentType = 'application/xml') => {
  const headers = { 'content-type': contentType };
  const response = { status: 200, headers, body: Buffer.from(body) };
  const { body: bytes } = fromXml({ name: 'Acme', xml: rule }, response);
  return Buffer.from(bytes).toString();
};

it('elements become members, some of them lists and numbers', () => {
  const item = '<Item kind="x"><Key> 007 </Key><Size>12</Size><Empty/></Item>';
  expect(JSON.parse(read(`<R>${item}</R>`))).toEqual({
    R: { Item: [{ Key: '007', Size: 12, Empty: '' }] },
  });
  expect(JSON.parse(read(`<R>${item}${item}</R>`, 'text/xml; charset=utf-8'))).toMatchObject({
    R: { Item: [{ Size: 12 }, { Size: 12 }] },
  });
});

it('other types, and XML of a connector without a rule, stay as they are', () => {
  expect(read('<R/>', 'text/html')).toBe('<R/>');
  const headers = { 'content-type': 'application/xml' };
  const response = { status: 200, headers, body: Buffer.from('<R/>') };
  expect(fromXml({ name: 'Acme' }, response)).toBe(response);
});

it.each([
  ['declares entities', '<!DOCTYPE r [<!ENTITY a "aaaa">]><R>&a;</R>', 'document type'],
  ['is too large', `<R>${'a'.repeat(2 * 1024 * 1024)}</R>`, 'more than 2 MiB'],
])('a document that %s is a failure', (_name, body, message) => {
  expect(() => read(body)).toThrow(message);
});
