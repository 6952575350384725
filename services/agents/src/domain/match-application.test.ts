import { expect, test } from 'vitest';
import { matchApplication } from './match-application.ts';

const slugs = ['onprem-database', 'onprem-http', 'onprem-http-legacy'];

test('a slug comes before the first characters of others', () => {
  expect(matchApplication(slugs, 'onprem-http')).toBe('onprem-http');
  expect(matchApplication(slugs, 'onprem-d')).toBe('onprem-database');
});

test('several matches are named, none is NOT_FOUND', () => {
  expect(() => matchApplication(slugs, 'onprem')).toThrow(
    expect.objectContaining({ code: 'AMBIGUOUS_APPLICATION', candidates: slugs }),
  );
  expect(() => matchApplication(slugs, 'http')).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});
