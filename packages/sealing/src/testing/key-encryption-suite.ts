import { expect, it } from 'vitest';
import { Secret } from '@fairlead/service-kit/secret';
import type { KeyEncryption } from '../key-encryption.ts';

const binding = ['data-key', 'acc', 'id'];
const bytes = Buffer.alloc(32, 7);

/** The guarantees of every KeyEncryption. */
export function keyEncryptionSuite(encryption: () => KeyEncryption): void {
  const wrap = () => encryption().wrap(binding, new Secret<Uint8Array>(bytes));

  it('a wrapped key unwraps, names the key that wrapped it, and does not hold it in plain', async () => {
    const wrapped = await wrap();
    expect(Buffer.from((await encryption().unwrap(binding, wrapped)).reveal())).toEqual(bytes);
    expect(wrapped.wrappedWith).toBe(encryption().current());
    expect(Buffer.from(wrapped.wrapped, 'base64url').includes(bytes)).toBe(false);
  });

  it('each wrapping of a key differs', async () => {
    expect((await wrap()).wrapped).not.toBe((await wrap()).wrapped);
  });

  it.each([[['data-key', 'acc2', 'id']], [['data-key', 'acc', 'other']], [['data-key', 'accid', '']]])(
    'a wrapped key that was moved to %j does not unwrap',
    async (place) => {
      await expect(encryption().unwrap(place, await wrap())).rejects.toThrow('data key');
    },
  );

  it('a wrapped key that was changed does not unwrap', async () => {
    const wrapped = await wrap();
    const changed = Buffer.from(wrapped.wrapped, 'base64url');
    const at = Math.floor(changed.length / 2);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    const text = changed.toString('base64url');
    await expect(encryption().unwrap(binding, { ...wrapped, wrapped: text })).rejects.toThrow('data key');
  });
}
