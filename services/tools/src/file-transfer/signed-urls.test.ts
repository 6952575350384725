import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { expect, test } from 'vitest';
import { createSignedUrls } from './signed-urls.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const MINUTE = 60_000;
const key = (fill: number): string => Buffer.alloc(32, fill).toString('base64');
const urls = (ring: string) =>
  createSignedUrls({ publicUrl: 'https://api.example', keys: parseKeyRing(ring) });
const tokenOf = (url: string): string => new URL(url).searchParams.get('token') ?? '';

test('an address gives access to its file for 15 minutes, to no other file, and under every key of the ring', () => {
  const old = urls(`v1:${key(1)}`);
  const url = old.urlOf('acc_1', 'file_1', NOW);
  expect(url).toMatch(/^https:\/\/api\.example\/v1\/files\/file_1\/content\?token=[\w.-]+$/);
  const token = tokenOf(url);
  const at = (minutes: number): Date => new Date(NOW.getTime() + minutes * MINUTE);
  expect(old.accountOf('file_1', token, at(14.9))).toBe('acc_1');
  expect(old.accountOf('file_1', token, at(15))).toBeUndefined();
  expect(old.accountOf('file_2', token, NOW)).toBeUndefined();
  expect(urls(`v2:${key(2)},v1:${key(1)}`).accountOf('file_1', token, NOW)).toBe('acc_1');
  expect(urls(`v2:${key(2)}`).accountOf('file_1', token, NOW)).toBeUndefined();
  expect(urls(`v1:${key(2)}`).accountOf('file_1', token, NOW)).toBeUndefined();
});

test('an altered token gives access to nothing', () => {
  const signed = urls(`v1:${key(1)}`);
  const [version = '', payload = '', signature = ''] = tokenOf(signed.urlOf('acc_1', 'file_1', NOW)).split(
    '.',
  );
  const later = Buffer.from(JSON.stringify(['acc_1', Infinity])).toString('base64url');
  for (const token of [
    '',
    '..',
    `${version}.${payload}`,
    `${version}.${payload}.`,
    `${version}.${later}.${signature}`,
    `${version}.${payload}.${signature.slice(1)}`,
    `v2.${payload}.${signature}`,
  ])
    expect(signed.accountOf('file_1', token, NOW)).toBeUndefined();
});
