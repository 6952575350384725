import { describe, expect, it } from 'vitest';
import { patternProblem } from './linear-pattern.ts';

describe('a pattern is proved linear', () => {
  it.each([
    '^[A-Z]{3}$',
    '^[^\\s@]+@[^\\s@]+$',
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2})?$',
    '^https?://',
    '^(?:lead|lost|won)$',
    '^\\p{L}+(?: \\p{L}+)*$',
    '^(\\d+)\\.(\\d+)\\.(\\d+)$',
    '^.{1,255}$',
    '^x-|^y-',
    '^(?:#[0-9a-f]{6}|[a-z]+)$',
    '\\S',
    'foo\\b',
    '',
  ])('%s', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });
});

describe('a pattern is refused that', () => {
  it.each([
    ['nests repetition', '^(a+)+$', /can belong to/],
    ['repeats twice what the other may take', '^a*a*$', /can belong to/],
    ['repeats overlapping classes', '^[a-z0-9]+\\w*$', /can belong to/],
    ['has overlapping alternatives in a repetition', '^(?:a|ab)*$', /can belong to/],
    ['skips what the next also matches', '^(?:a|)a+$', /can belong to/],
    ['has overlapping Unicode classes', '^\\p{Lu}*\\p{L}*$', /can belong to/],
    ['nests bounded repetition', '^(?:a{1,50}){1,50}$', /can belong to/],
    ['tries optional parts in every combination', '^(?:a?){30}a{30}$', /empty text/],
    ['repeats the empty text', '^(?:|){50}x$', /empty text/],
    ['chooses between two empty texts', '^(?:a*|b*)c+$', /empty text/],
    ['searches everywhere for a repetition', 'a+$', /begin with \^/],
    ['searches everywhere for something long', '.{1,1000}x', /begin with \^/],
    ['is anchored in one alternative only', '^a+|b+', /begin with \^/],
    ['looks ahead', '^(?=a+)a', /is a lookaround/],
    ['looks behind', '^a+(?<!b)', /is a lookaround/],
    ['refers back', '^(a|b)+\\1$', /is a backreference/],
    ['changes its flags', '^(?i:[a-z])+[A-Z]*$', /changes its flags/],
    ['repeats very often', '^[a-z]{1,20000}[0-9]+$', /maxLength/],
    ['is filled with a setting', '^[{{setting.baseUrl}}]$', /placeholder/],
    ['is broken', '^(', /./],
  ])('%s: %s', (_name, pattern, reason) => {
    expect(patternProblem(pattern)).toMatch(reason);
  });
});
