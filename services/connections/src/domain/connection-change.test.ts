import { expect, test } from 'vitest';
import { connection, NOW } from '../testing/builders.ts';
import { kindsOfChange } from './connection-change.ts';

const until = (expiresAt: Date | null) => connection({ licence: { status: 'active', expiresAt } });
const refused = connection({ needsReauthentication: true });

test.each([
  ['a new connection', undefined, connection(), ['created']],
  ['a new connection without a licence', undefined, until(NOW), ['created']],
  ['a connection that is gone', connection(), undefined, ['deleted']],
  ['a refused grant', connection(), refused, ['needsReauthentication']],
  ['a grant that is refused still', refused, refused, []],
  ['new credentials after a refusal', refused, connection(), ['recovered']],
  [
    'another status of the licence',
    connection(),
    connection({ licence: { status: 'none', expiresAt: null } }),
    ['licenceChanged'],
  ],
  ['another end of the licence', until(NOW), until(new Date(NOW.getTime() + 1)), ['licenceChanged']],
  ['an end of the licence where there was none', until(null), until(NOW), ['licenceChanged']],
  ['the same licence set again', until(NOW), until(new Date(NOW)), []],
  [
    'other details, credentials and default',
    connection(),
    connection({ connectionName: 'x', credentialVersion: 2, isDefault: false }),
    [],
  ],
  ['nothing at all', undefined, undefined, []],
])('%s', (_name, former, present, kinds) => {
  expect(kindsOfChange(former, present)).toEqual(kinds);
});
