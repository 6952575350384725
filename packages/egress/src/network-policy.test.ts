import { describe, expect, it } from 'vitest';
import { createNetworkPolicy } from './address.ts';
import { get, testEgress, serveHttp } from './testing/open-egress.ts';

describe('a program inside a network', () => {
  it('reaches everything but metadata addresses, however they are written', () => {
    const policy = createNetworkPolicy({ onlyTo: null });
    for (const address of ['127.0.0.1', '10.0.0.1', '192.168.1.1', '1.1.1.1', '::1', 'fd12::1'])
      expect([address, policy.isAllowed('x', 80, address)]).toEqual([address, true]);
    for (const address of [
      '169.254.169.254',
      '169.254.170.2',
      '100.100.100.200',
      '192.0.0.192',
      '168.63.129.16',
      'fd00:ec2::254',
      'fd00:ec2::23',
      'fd20:ce::254',
      '::ffff:169.254.169.254',
      '::a9fe:a9fe',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::a9fe:a9fe',
      '2002:a9fe:a9fe::',
    ])
      expect([address, policy.isAllowed('x', 80, address)]).toEqual([address, false]);
  });

  it.each([
    [[], 'x', '10.0.0.1', false],
    [['10.0.0.0/8'], 'x', '10.1.2.3', true],
    [['10.0.0.0/8'], 'x', '1.1.1.1', false],
    [['10.0.0.0/8'], 'x', '::ffff:10.1.2.3', true],
    [['db.internal:5432'], 'db.internal', '192.168.0.5', true],
    [['other.internal:5432'], 'db.internal', '192.168.0.5', false],
    // A name whose address changes to a metadata address.
    [['db.internal'], 'db.internal', '169.254.169.254', false],
    [['169.254.0.0/16'], '169.254.169.254', '169.254.169.254', false],
    [['169.254.169.254'], 'x', '169.254.169.254', true],
    [['169.254.169.254/32'], 'x', '169.254.169.254', true],
    [['fd00:ec2::254'], 'x', 'fd00:ec2::254', true],
  ])('with only %j, %s at %s is %s', (onlyTo, host, address, expected) => {
    expect(createNetworkPolicy({ onlyTo }).isAllowed(host, 5432, address)).toBe(expected);
  });

  it('inside a network only what its rules list is reached, also by a name that is rebound', async () => {
    const server = await serveHttp((_, response) => void response.end('ok'));
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const open = testEgress({
      allow: { onlyTo: ['127.0.0.1/32'] },
      resolve: () => Promise.resolve(answers.shift() ?? ['169.254.169.254']),
    });
    const url = `http://intranet:${server.port}`;
    expect((await open.request({ ...get(url), isNewConnection: true })).status).toBe(200);
    for (const _ of ['rebound', 'metadata'])
      await expect(open.request({ ...get(url), isNewConnection: true })).rejects.toMatchObject({
        code: 'address_blocked',
        message: 'Calls to intranet are not allowed: the configuration of this program does not allow it.',
      });
    expect(server.connections()).toBe(1);
  });
});
