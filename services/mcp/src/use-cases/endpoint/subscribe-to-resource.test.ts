import { expect, test } from 'vitest';
import { passing } from '../../testing/passing.ts';
import { offering } from '../../testing/upstreams.ts';

const resources = [{ uri: 'x://1' }];
const silent = offering(7, { resources });
const telling = offering(8, { resources, hasSubscriptions: true });

test.each(['resources/subscribe', 'resources/unsubscribe'])(
  '%s needs an upstream that tells of changes, and a URI; no upstream is asked',
  async (method) => {
    const { send, sent } = passing([silent, telling]);
    expect(await send(method, { uri: 'x://1' })).toEqual({});
    await expect(send(method, {})).rejects.toMatchObject({
      message: expect.stringContaining('params.uri') as unknown,
    });
    expect(await passing([silent]).send(method, { uri: 'x://1' })).toBeUndefined();
    expect(await send(method, { uri: 'x://1' }, true)).toBeUndefined();
    expect(sent).toEqual([]);
  },
);
