import { describe, expect, it } from 'vitest';
import { createEndpointBalancer } from './endpoint-balancer.ts';
import type { EndpointBalancer } from './endpoint-balancer.ts';
import { changingAddresses } from './testing/changing-addresses.ts';
import type { Endpoint } from './endpoint.ts';

const nothing = { open: () => undefined, close: () => Promise.resolve() };

function balancerOf(...urls: string[]) {
  let time = 1_000;
  const balancer = createEndpointBalancer(urls, nothing, { now: () => time });
  return { balancer, advance: (ms: number) => (time += ms) };
}

function endpoint(balancer: EndpointBalancer<undefined>, url: string): Endpoint<undefined> {
  const found = balancer.endpoints.find((each) => each.url === url);
  if (found === undefined) throw new Error(`no ${url}`);
  return found;
}

/** The addresses of 200 picks. */
function picked(balancer: EndpointBalancer<undefined>, ...tried: Endpoint<undefined>[]): Set<string> {
  const urls = Array.from({ length: 200 }, () => balancer.pick(new Set(tried))?.url ?? 'none');
  return new Set(urls);
}

it('of two addresses, the one with fewer calls in flight is picked', () => {
  const { balancer } = balancerOf('a', 'b');
  endpoint(balancer, 'a').inFlight = 3;
  endpoint(balancer, 'b').inFlight = 2;
  expect(picked(balancer)).toEqual(new Set(['b']));
});

it('of many addresses, all except the busiest are picked', () => {
  const { balancer } = balancerOf('a', 'b', 'c', 'd');
  endpoint(balancer, 'c').inFlight = 1;
  expect(picked(balancer)).toEqual(new Set(['a', 'b', 'd']));
});

it('calls stay evenly balanced as they end', () => {
  const { balancer } = balancerOf('a', 'b', 'c');
  for (let i = 0; i < 300; i += 1) {
    const one = balancer.pick(new Set());
    if (one !== undefined) balancer.begin(one);
  }
  const loads = balancer.endpoints.map(({ inFlight }) => inFlight);
  expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(12);
});

it('a tried address is not picked again', () => {
  const { balancer } = balancerOf('a', 'b');
  expect(picked(balancer, endpoint(balancer, 'a'))).toEqual(new Set(['b']));
  expect(balancer.pick(new Set(balancer.endpoints))).toBeUndefined();
  const { balancer: alone } = balancerOf('a');
  expect(alone.pick(new Set())?.url).toBe('a');
  expect(alone.pick(new Set(alone.endpoints))).toBeUndefined();
});

it('a failed address is avoided, longer each time, and tried by one call at a time', () => {
  const { balancer, advance } = balancerOf('a', 'b');
  const a = endpoint(balancer, 'a');
  endpoint(balancer, 'b').inFlight = 100;
  for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]) {
    balancer.failed(a);
    advance(pauseMs - 1);
    expect(picked(balancer)).toEqual(new Set(['b']));
    advance(1);
    expect(balancer.pick(new Set())?.url).toBe('a');
    expect(picked(balancer)).toEqual(new Set(['b']));
  }
  balancer.answered(a);
  expect(picked(balancer)).toEqual(new Set(['a']));
  balancer.failed(a);
  advance(100);
  expect(balancer.pick(new Set())?.url).toBe('a');
});

it('an address that is about to stop is avoided for a second', () => {
  const { balancer, advance } = balancerOf('a', 'b');
  endpoint(balancer, 'b').inFlight = 100;
  balancer.stopping(endpoint(balancer, 'a'));
  advance(999);
  expect(picked(balancer)).toEqual(new Set(['b']));
  advance(1);
  expect(balancer.pick(new Set())?.url).toBe('a');
});

it('if all are to be avoided, one is still picked', () => {
  const { balancer } = balancerOf('a', 'b');
  for (const each of balancer.endpoints) balancer.failed(each);
  expect(picked(balancer)).toEqual(new Set(['a', 'b']));
});

it('among avoided addresses, one that is about to stop comes last: one that was down may be up again', () => {
  const { balancer, advance } = balancerOf('a', 'b');
  const [a, b] = [endpoint(balancer, 'a'), endpoint(balancer, 'b')];
  for (let failures = 0; failures < 8; failures += 1) balancer.failed(a);
  balancer.stopping(b);
  advance(500);
  expect(picked(balancer)).toEqual(new Set(['a']));
  expect(picked(balancer, a)).toEqual(new Set(['b']));
  // The process is gone, or its successor is running.
  balancer.failed(b);
  expect(picked(balancer)).toEqual(new Set(['a', 'b']));
  balancer.stopping(b);
  balancer.answered(b);
  expect(picked(balancer)).toEqual(new Set(['b']));
});

it('a service without an address is refused', () => {
  expect(() => balancerOf()).toThrow(TypeError);
});

describe('addresses that change', () => {
  function balancerOfChanging(initial: readonly string[], onRenew?: () => readonly string[]) {
    const addresses = changingAddresses(initial, onRenew);
    const closed: string[] = [];
    const balancer = createEndpointBalancer(addresses, {
      open: (url) => url,
      close(url) {
        closed.push(url);
        return Promise.resolve();
      },
    });
    const pickAll = (): Set<string | undefined> =>
      new Set(Array.from({ length: 200 }, () => balancer.pick(new Set())?.url));
    return { addresses, balancer, closed, pickAll };
  }

  it('a new address is picked, and a removed one is not', () => {
    const { addresses, balancer, closed, pickAll } = balancerOfChanging(['a', 'b']);
    const [, b] = balancer.endpoints;
    addresses.replace(['b', 'c']);
    expect(pickAll()).toEqual(new Set(['b', 'c']));
    expect(closed).toEqual(['a']);
    // The endpoint keeps its state.
    expect(balancer.endpoints[0]).toBe(b);
  });

  it('an address that is removed is closed when its last call has ended', () => {
    const { addresses, balancer, closed } = balancerOfChanging(['a', 'b']);
    const [a] = balancer.endpoints;
    if (a === undefined) throw new Error('There is no endpoint.');
    balancer.begin(a);
    balancer.begin(a);
    addresses.replace(['b']);
    balancer.end(a);
    expect(closed).toEqual([]);
    balancer.end(a);
    expect(closed).toEqual(['a']);
  });

  it('there may be none at first; those that appear are picked', () => {
    const { addresses, balancer, pickAll } = balancerOfChanging([]);
    expect(balancer.pick(new Set())).toBeUndefined();
    addresses.replace(['a']);
    expect(pickAll()).toEqual(new Set(['a']));
  });

  it('if all were tried, addresses that a new look-up finds are picked', async () => {
    const { balancer } = balancerOfChanging(['a'], () => ['a', 'b']);
    const tried = new Set(balancer.endpoints);
    expect(balancer.pick(tried)).toBeUndefined();
    expect((await balancer.pickRenewed(tried))?.url).toBe('b');
    expect(await balancer.pickRenewed(new Set(balancer.endpoints))).toBeUndefined();
  });

  it.each(['failed', 'stopping'] as const)('an address that is %s makes its successor known', (event) => {
    const { balancer, pickAll } = balancerOfChanging(['old'], () => ['new']);
    const [old] = balancer.endpoints;
    if (old === undefined) throw new Error('There is no endpoint.');
    balancer[event](old);
    expect(pickAll()).toEqual(new Set(['new']));
  });

  it('the close is the only one of an address that was removed and has calls in flight', async () => {
    const { addresses, balancer, closed } = balancerOfChanging(['a', 'b']);
    const [a] = balancer.endpoints;
    if (a === undefined) throw new Error('There is no endpoint.');
    balancer.begin(a);
    addresses.replace(['b']);
    const closing = balancer.close();
    balancer.end(a);
    await closing;
    expect(closed.toSorted()).toEqual(['a', 'b']);
  });

  it('after the close no change opens a channel, and each is closed', async () => {
    const { addresses, balancer, closed } = balancerOfChanging(['a', 'b']);
    const [a] = balancer.endpoints;
    if (a === undefined) throw new Error('There is no endpoint.');
    balancer.begin(a);
    addresses.replace(['b']);
    await balancer.close();
    expect(new Set(closed)).toEqual(new Set(['a', 'b']));
    addresses.replace(['c']);
    expect(balancer.endpoints.map(({ url }) => url)).toEqual(['b']);
  });
});

describe('the canary of a service', () => {
  function balancerWithCanary(stable: readonly string[], canary: readonly string[]) {
    let time = 1_000;
    let fallbacks = 0;
    const addresses = changingAddresses(canary);
    const balancer = createEndpointBalancer(stable, nothing, {
      now: () => time,
      canary: { addresses, onFallback: () => (fallbacks += 1) },
    });
    const pickOne = (...tried: Endpoint<undefined>[]): Endpoint<undefined> => {
      const found = balancer.pick(new Set(tried), 'canary');
      if (found === undefined) throw new Error('There is no endpoint.');
      return found;
    };
    const pickedForCanary = (): Set<string> => new Set(Array.from({ length: 200 }, () => pickOne().url));
    const advance = (ms: number) => (time += ms);
    return { balancer, addresses, pickOne, pickedForCanary, advance, fallbacks: () => fallbacks };
  }

  it('gets the calls to the canary and no others', () => {
    const { balancer, pickedForCanary, fallbacks } = balancerWithCanary(['a', 'b'], ['x', 'y']);
    expect(pickedForCanary()).toEqual(new Set(['x', 'y']));
    expect(picked(balancer)).toEqual(new Set(['a', 'b']));
    expect(fallbacks()).toBe(0);
  });

  it('without an address: its calls go to stable, and each is counted once', () => {
    const { balancer, pickOne, addresses, fallbacks } = balancerWithCanary(['a', 'b'], []);
    const first = pickOne();
    expect(first.track).toBe('stable');
    expect(pickOne(first).track).toBe('stable');
    expect(fallbacks()).toBe(1);
    addresses.replace(['x']);
    expect(pickOne().track).toBe('canary');
    addresses.replace([]);
    expect(pickOne().track).toBe('stable');
    expect(balancer.pick(new Set(balancer.endpoints), 'canary')).toBeUndefined();
  });

  it.each(['failed', 'stopping'] as const)('an address that is %s: calls go to stable meanwhile', (event) => {
    const { balancer, pickOne, advance, fallbacks } = balancerWithCanary(['a'], ['x']);
    const canary = pickOne();
    balancer[event](canary);
    expect(pickOne().track).toBe('stable');
    expect(fallbacks()).toBe(1);
    advance(1_000);
    expect(pickOne()).toBe(canary);
    balancer.answered(canary);
    expect(pickOne()).toBe(canary);
  });

  it('a call whose canary address failed goes on at another one, then at stable', () => {
    const { pickOne } = balancerWithCanary(['a'], ['x', 'y']);
    const first = pickOne();
    const second = pickOne(first);
    expect([first, second].map(({ url }) => url).toSorted()).toEqual(['x', 'y']);
    expect(pickOne(first, second).url).toBe('a');
  });

  it('stable calls never reach it, even if every stable address has failed', () => {
    const { balancer } = balancerWithCanary(['a', 'b'], ['x']);
    for (const one of balancer.endpoints) balancer.failed(one);
    expect(picked(balancer)).toEqual(new Set(['a', 'b']));
    expect(picked(balancer, ...balancer.endpoints)).toEqual(new Set(['none']));
  });
});
