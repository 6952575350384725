import { expect, it } from 'vitest';
import { replicaAddress } from './replica-address.ts';

const mac = '00:00:00:00:00:00';
const loopback = {
  address: '127.0.0.1',
  netmask: '',
  family: 'IPv4',
  mac,
  internal: true,
  cidr: null,
} as const;
const four = { ...loopback, address: '10.0.0.7', internal: false };
const six = { ...four, address: 'fd00::7', family: 'IPv6', scopeid: 0 } as const;

it('the other replicas reach a container at its own address, never at loopback', () => {
  expect(replicaAddress('8080', { lo: [loopback], eth0: [six, four] })).toBe('http://10.0.0.7:8080');
  expect(replicaAddress('8080', { lo: [loopback], eth0: [six] })).toBe('http://[fd00::7]:8080');
  expect(replicaAddress('8080', { lo: [loopback] })).toBeUndefined();
});
