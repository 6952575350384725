import { expect, test } from 'vitest';
import { unknownTriggerType } from './unknown-slug.ts';

test('the error names the slug, and the three nearest, the nearest first', () => {
  const visible = ['crm-list-contacts', 'crm-get-contact', 'crm-set-contact', 'crm-let-contact', 'mail-send'];
  expect(unknownTriggerType('CRM-get-contct', visible)).toMatchObject({
    code: 'NOT_FOUND',
    message:
      'There is no trigger type CRM-get-contct. Did you mean crm-get-contact or crm-let-contact or crm-set-contact?',
    candidates: ['crm-get-contact', 'crm-let-contact', 'crm-set-contact'],
  });
});

test('a slug that is near none has no candidates; each slug is a candidate once', () => {
  expect(unknownTriggerType('zzz', ['crm', 'mail'])).toMatchObject({
    message: 'There is no trigger type zzz.',
    candidates: [],
  });
  expect(unknownTriggerType('crm-gat', ['crm-get', 'crm-get']).candidates).toEqual(['crm-get']);
});

test('two thousand slugs of about that length are compared, and no long ones', () => {
  const many = Array.from({ length: 2_000 }, (_, n) => `x-${String(n).padStart(6, '9')}`);
  expect(unknownTriggerType('crm-get', [...many, 'crm-gets']).candidates).toEqual([]);
  expect(unknownTriggerType('crm-get', ['a', ...many.slice(1), 'crm-gets']).candidates).toEqual(['crm-gets']);
  const long = 'a'.repeat(101);
  expect(unknownTriggerType(long, [long.slice(1)])).toMatchObject({
    message: `There is no trigger type ${long}.`,
    candidates: [],
  });
});
