import { systemTimers } from '@fairlead/service-kit/timers';
import { describe, expect, test } from 'vitest';
import { linkedHubs, START_MS } from './testing/linked-hubs.ts';
import { startStreamServer } from './testing/stream-server.ts';

const EXPIRES = new Date(START_MS + 60_000);
const session = (key: string) => ({ key, expiresAt: EXPIRES });
const never = new AbortController().signal;
const json = (text: string): Buffer => Buffer.from(JSON.stringify(text));

const isStillAdmitted = () => Promise.resolve(true);
const isNew = { accountId: 'acc_1', isStillAdmitted, isNew: true };

describe('a message', () => {
  test.each(['first', 'second'] as const)('reaches the stream from the %s replica', async (sender) => {
    const hubs = linkedHubs();
    const { connect } = await startStreamServer();
    const client = await connect(hubs.first, { ...isNew, session: session('s') });
    const place = await hubs[sender].reserve('s', never);
    expect(await place?.send(json('hello'))).toBe(true);
    await expect.poll(client.messages).toEqual(['"hello"']);
    expect(hubs.network.asked).toEqual(sender === 'first' ? [] : ['reservation', 'piece']);
  });

  test('above the limit of the network goes in pieces and arrives whole', async () => {
    const { first, second, network } = linkedHubs({ maxBytes: 3_024 });
    const { connect } = await startStreamServer();
    const client = await connect(first, { ...isNew, session: session('s') });
    const text = json('0123456789'.repeat(1_000));
    const place = await second.reserve('s', never);
    expect(await place?.send(text)).toBe(true);
    await expect.poll(client.messages).toEqual([text.toString()]);
    expect(network.asked.filter((it) => it === 'piece')).toHaveLength(6);
  });

  test('has no place on a stream that nobody holds, and none that was waited for in vain', async () => {
    const { first, second, pass } = linkedHubs();
    const pending = first.reserve('s', never);
    await pass(2_000);
    expect(await pending).toBeUndefined();
    const { connect } = await startStreamServer();
    const gone = new AbortController();
    const late = first.reserve('s', gone.signal);
    await connect(second, { ...isNew, session: session('s') });
    gone.abort();
    await pass(4_000);
    expect(await late).toBeUndefined();
  });

  test('waits for a client that is connecting again', async () => {
    const { first, second, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    const former = await connect(first, { ...isNew, session: session('s') });
    former.leave();
    await former.ended;
    const pending = second.reserve('s', never);
    await pass(300);
    const client = await connect(first, { ...isNew, session: session('s') });
    await pass(2_000);
    const place = await pending;
    expect(await place?.send(json('hello'))).toBe(true);
    await expect.poll(client.messages).toEqual(['"hello"']);
  });

  test('without the network still reaches the streams of the same replica, and no other', async () => {
    const { first, second, network, pass } = linkedHubs();
    network.isAway = true;
    const { connect } = await startStreamServer();
    const client = await connect(first, { ...isNew, session: session('s') });
    const own = await first.reserve('s', never);
    expect(await own?.send(json('hello'))).toBe(true);
    await expect.poll(client.messages).toEqual(['"hello"']);
    const other = second.reserve('s', never);
    await pass(2_000);
    expect(await other).toBeUndefined();
  });

  test.each(['reservation', 'piece'])('whose %s gets no reply keeps no place', async (lostReplies) => {
    const { first, second, network, pass } = linkedHubs({ maxBytes: 3_024 });
    const { connect } = await startStreamServer();
    const client = await connect(first, { ...isNew, session: session('s') });
    network.lostReplies = lostReplies;
    const place = await second.reserve('s', never);
    expect(await place?.send(json('0123456789'.repeat(1_000)))).toBe(place && false);
    const drained = first.drain(60_000);
    await pass(30_000);
    await Promise.all([drained, client.ended]);
  });

  test('whose stream is gone by now is reported as lost', async () => {
    const { first, second, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    const client = await connect(first, { ...isNew, session: session('s') });
    const place = await second.reserve('s', never);
    await first.end('s');
    await client.ended;
    const sent = place?.send(json('late'));
    await pass(2_000);
    expect(await sent).toBe(false);
  });
});

describe('a stream', () => {
  test('is the last response on its connection, which no request uses after a replica has stopped', async () => {
    const { first } = linkedHubs();
    const { connect } = await startStreamServer();
    const { headers } = await connect(first, { ...isNew, session: session('s') });
    expect(headers.get('connection')).toBe('close');
  });

  test('begins with its first event', async () => {
    const { first } = linkedHubs();
    const { connect } = await startStreamServer();
    const event = { event: 'endpoint', data: '/messages?sessionId=i', id: 'i' };
    const client = await connect(first, { ...isNew, session: session('s'), first: event });
    await expect
      .poll(client.text)
      .toBe('retry: 500\n\nevent: endpoint\nid: i\ndata: /messages?sessionId=i\n\n');
  });

  test.each(['first', 'second'] as const)('that is newer replaces that of the %s replica', async (holder) => {
    const hubs = linkedHubs();
    const { connect } = await startStreamServer();
    const older = await connect(hubs[holder], { ...isNew, session: session('s') });
    const newer = await connect(hubs.first, { ...isNew, isNew: false, session: session('s') });
    await older.ended;
    for (const hub of [hubs.first, hubs.second]) {
      const place = await hub.reserve('s', never);
      expect(await place?.send(json('hello'))).toBe(true);
    }
    await expect.poll(newer.messages).toHaveLength(2);
    expect(older.messages()).toEqual([]);
  });

  test('opens within a quarter of a second where the network does not say that nobody holds an older one', async () => {
    const { first, network, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    network.isSilent = true;
    const opening = connect(first, { ...isNew, isNew: false, session: session('s') });
    await expect.poll(() => network.asked).toEqual(['end']);
    await pass(250);
    await opening;
    const place = await first.reserve('s', never);
    expect(place).toBeDefined();
  });

  test('is ended from any replica, and when its session expires', async () => {
    const { first, second, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    const one = await connect(first, { ...isNew, session: session('a') });
    const other = await connect(first, { ...isNew, session: session('b') });
    await second.end('a');
    await one.ended;
    const place = await first.reserve('b', never);
    expect(place).toBeDefined();
    await place?.release();
    await pass(76_000);
    await other.ended;
  });

  test('shows every 15 seconds that it is alive', async () => {
    const { first, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    const client = await connect(first, { ...isNew, session: session('s') });
    for (const seconds of [15, 30]) {
      await pass(15_000);
      await expect.poll(() => client.text().match(/: keep-alive/g)).toHaveLength(seconds / 15);
    }
  });

  test('ends within a minute after its client is no longer admitted, or at once if its account is checked', async () => {
    const { first, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    const admitted = new Set(['a', 'b', 'c', 'd']);
    const open = (key: string, accountId = 'acc_1') =>
      connect(first, {
        ...isNew,
        session: { key, expiresAt: new Date(START_MS + 3_600_000) },
        accountId,
        isStillAdmitted: () => Promise.resolve(admitted.has(key)),
      });
    const [kept, checked, foreign] = [await open('a'), await open('b'), await open('c', 'acc_2')];
    admitted.delete('b');
    admitted.delete('c');
    await first.checkAccount('acc_1');
    await checked.ended;
    expect(foreign.hasEnded()).toBe(false);
    await pass(60_000);
    await foreign.ended;
    expect(kept.hasEnded()).toBe(false);
  });

  test('is refused beyond the streams of an account and of the replica, until others are closed', async () => {
    const { first } = linkedHubs({ limits: { streamsPerAccount: 1, streams: 2 } });
    const { connect } = await startStreamServer();
    const client = await connect(first, { ...isNew, session: session('a') });
    const another = { ...isNew, session: session('b') };
    await expect(connect(first, another)).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await connect(first, { ...another, accountId: 'acc_2' });
    const third = { ...isNew, accountId: 'acc_3', session: session('c') };
    await expect(connect(first, third)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    client.leave();
    await expect
      .poll(() =>
        connect(first, third).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
  });

  test('of a client without a credential counts for its server only, within a bound of its own', async () => {
    const { first } = linkedHubs({ limits: { streamsPerAccount: 1, anonymousStreamsPerServer: 1 } });
    const { connect } = await startStreamServer();
    const open = (key: string, anonymousServerId?: string) =>
      connect(first, { ...isNew, session: session(key), anonymousServerId });
    await open('a', 'srv_1');
    await expect(open('b', 'srv_1')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    await open('c', 'srv_2');
    await open('d');
    await expect(open('e')).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  });

  test('whose client takes nothing is cut, and so is the slowest of an account that leaves too much', async () => {
    const { first } = linkedHubs({
      limits: { bufferedBytes: 20_000_000, bufferedBytesPerAccount: 60_000_000 },
    });
    const { connect } = await startStreamServer();
    const large = Buffer.alloc(32_000_000, '1');
    const send = async (key: string): Promise<boolean | undefined> =>
      (await first.reserve(key, never))?.send(large);
    await connect(first, { ...isNew, session: session('a') }, { reads: false });
    expect(await send('a')).toBe(true);
    expect(await send('a')).toBe(false);
    for (const key of ['b', 'c']) {
      await connect(first, { ...isNew, session: session(key) }, { reads: false });
      expect(await send(key)).toBe(true);
    }
    const client = await connect(first, { ...isNew, session: session('d') });
    const place = await first.reserve('d', never);
    expect(await place?.send(json('hello'))).toBe(true);
    await expect.poll(client.messages).toEqual(['"hello"']);
  });
});

describe('a message to many streams', () => {
  test('reaches those of this replica that it concerns, and follows the event that a stream begins with', async () => {
    const { first, second, network } = linkedHubs();
    const { connect } = await startStreamServer();
    const [own, other, foreign] = [
      await connect(first, { ...isNew, session: session('a') }),
      await connect(first, { ...isNew, session: session('b'), accountId: 'acc_2' }),
      await connect(second, { ...isNew, session: session('c') }),
    ];
    const begin = { event: 'endpoint', data: '/', id: 'd' };
    // At this point the stream is held, but its first events were not sent.
    network.onTake = () => first.notify((_key, accountId) => accountId === 'acc_1', json('news'));
    const late = await connect(first, { ...isNew, session: session('d'), first: begin });
    await expect.poll(own.messages).toEqual(['"news"']);
    await expect.poll(late.text).toMatch(/event: endpoint[^]*"news"/);
    expect([other.messages(), foreign.messages()]).toEqual([[], []]);
  });
});

describe('a replica that stops', () => {
  test('ends idle streams at once, and those of clients that call between two calls', async () => {
    const { first, second, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    const idle = await connect(first, { ...isNew, session: session('a') });
    const busy = await connect(first, { ...isNew, session: session('b') });
    const places = [await second.reserve('b', never), await second.reserve('b', never)];
    const drained = first.drain(60_000);
    await idle.ended;
    await places[0]?.release();
    expect(await places[1]?.send(json('two'))).toBe(true);
    await pass(99);
    const last = await second.reserve('b', never);
    await pass(1_000);
    expect(await last?.send(json('last'))).toBe(true);
    await pass(100);
    await Promise.all([busy.ended, drained]);
    expect(busy.messages()).toEqual(['"two"', '"last"']);
  });

  test('ends each stream before that, once its client is quiet after an answer', async () => {
    const { first, second, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    const [idle, client] = [
      await connect(first, { ...isNew, session: session('a') }),
      await connect(first, { ...isNew, session: session('b') }),
    ];
    const answer = async (text: string) => (await second.reserve('b', never))?.send(json(text));
    first.leave();
    expect(await answer('one')).toBe(true);
    await pass(99);
    const place = await second.reserve('b', never);
    await pass(1_000);
    expect(await place?.send(json('two'))).toBe(true);
    await pass(100);
    await client.ended;
    expect(client.messages()).toEqual(['"one"', '"two"']);
    // The client reconnects at once.
    expect(client.text()).toMatch(/retry: 20\n\n$/);
    expect(await (await second.reserve('a', never))?.send(json('idle'))).toBe(true);
    await expect.poll(idle.messages).toEqual(['"idle"']);
  });

  test('cuts what is left when its time is over, takes no reservations in its second half, and ends new streams at once', async () => {
    const { first, second, pass } = linkedHubs();
    const { connect } = await startStreamServer();
    const client = await connect(first, { ...isNew, session: session('a') });
    await second.reserve('a', never);
    const drained = first.drain(5_000);
    await pass(2_500);
    const gone = new AbortController();
    const refused = second.reserve('a', gone.signal);
    const late = await connect(first, { ...isNew, session: session('b') });
    await late.ended;
    expect(late.text()).toMatch(/retry: 20\n\n$/);
    await pass(2_499);
    gone.abort();
    await pass(1);
    await Promise.all([client.ended, drained]);
    await pass(2_000);
    expect(await refused).toBeUndefined();
  });

  test('without streams stops at once', async () => {
    await expect(linkedHubs().newHub(systemTimers).drain(60_000)).resolves.toBeUndefined();
  });
});

test('changed subscriptions are read by the replica that holds the stream, until it closes', async () => {
  const { first, second, network } = linkedHubs();
  const { connect } = await startStreamServer();
  const said: string[] = [];
  const subscriptions = {
    refresh: () => Promise.resolve(void said.push('refresh')),
    end: () => void said.push('end'),
  };
  const client = await connect(first, { ...isNew, session: session('s'), subscriptions });
  for (const hub of [first, second]) await hub.refreshSubscriptions('s');
  await second.refreshSubscriptions('nobody');
  client.leave();
  await expect.poll(() => said).toEqual(['refresh', 'refresh', 'end']);
  network.lostReplies = 'subscriptionsChanged';
  await expect(second.refreshSubscriptions('s')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
