import { describe, expect, it } from 'vitest';
import { checkChange, checkContent, DEFAULT_MAX_FAILURES, requireHeadersAgain } from './destination.ts';
import type { DestinationContent } from './destination.ts';

const content: DestinationContent = {
  name: '',
  url: 'https://hooks.example:8443/in?x=1',
  headers: { 'X-Team': 'a b' },
  isEnabled: true,
  maxConsecutiveFailures: DEFAULT_MAX_FAILURES,
};

/** Names of the refused fields. */
function refused(check: () => unknown): string[] {
  try {
    check();
  } catch (error) {
    return (error as { details: { field: string }[] }).details.map(({ field }) => field);
  }
  return [];
}

describe('a destination', () => {
  it('is named after its host unless it has a name, and its headers are in lower case', () => {
    expect(checkContent(content)).toMatchObject({
      name: 'hooks.example:8443',
      headers: { 'x-team': 'a b' },
    });
    expect(checkContent({ ...content, name: 'Ours' }).name).toBe('Ours');
  });

  it.each([
    'ftp://hooks.example',
    'hooks.example',
    'https://me:secret@hooks.example',
    'https://hooks.example/#part',
    `https://hooks.example/${'x'.repeat(2048)}`,
  ])('is refused at %s', (url) => {
    expect(refused(() => checkContent({ ...content, url }))).toEqual(['url']);
  });

  it.each([
    'Fairlead-Signature',
    'webhook-id',
    'Content-Type',
    'content-length',
    'HOST',
    'proxy-authorization',
    'transfer-encoding',
    'user-agent',
    'a b',
    '',
  ])('is refused with the header %j', (name) => {
    expect(refused(() => checkContent({ ...content, headers: { [name]: 'x' } }))).toEqual([
      `headers.${name}`,
    ]);
    expect(refused(() => checkChange({ headers: { values: {}, kept: [name] } }))).toEqual([
      `headers.${name}`,
    ]);
  });

  it.each(['', 'a\r\nhost: other', ' a', 'é', 'x'.repeat(2001)])('is refused with the value %j', (value) => {
    expect(refused(() => checkContent({ ...content, headers: { 'x-a': value } }))).toEqual(['headers.x-a']);
  });

  it('names each header once, and has at most twenty', () => {
    expect(refused(() => checkContent({ ...content, headers: { 'x-a': '1', 'X-A': '2' } }))).toEqual([
      'headers',
    ]);
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${String(at)}`, '1']));
    expect(refused(() => checkContent({ ...content, headers: many }))).toEqual(['headers']);
  });

  it.each([0, 101, 1.5])('is not disabled by %d failures', (maxConsecutiveFailures) => {
    expect(refused(() => checkContent({ ...content, maxConsecutiveFailures }))).toEqual([
      'maxConsecutiveFailures',
    ]);
    expect(refused(() => checkChange({ maxConsecutiveFailures }))).toEqual(['maxConsecutiveFailures']);
  });

  it('keeps what a change leaves out', () => {
    expect(checkChange({})).toEqual({});
    expect(refused(() => checkChange({ name: '' }))).toEqual(['name']);
  });

  it('needs its headers again once its origin changes', () => {
    const existing = { url: 'https://receiver.example/in', headerNames: ['x-team'] };
    const elsewhere = 'https://elsewhere.example/in';
    expect(refused(() => requireHeadersAgain(existing, { url: elsewhere }))).toEqual(['headers']);
    const kept = { values: { 'x-more': '1' }, kept: ['x-team'] };
    expect(refused(() => requireHeadersAgain(existing, { url: elsewhere, headers: kept }))).toEqual([
      'headers',
    ]);
    expect(() => requireHeadersAgain(existing, { url: 'https://receiver.example:443/other' })).not.toThrow();
    expect(() =>
      requireHeadersAgain(existing, { url: elsewhere, headers: { values: {}, kept: [] } }),
    ).not.toThrow();
    expect(() => requireHeadersAgain({ ...existing, headerNames: [] }, { url: elsewhere })).not.toThrow();
  });
});
