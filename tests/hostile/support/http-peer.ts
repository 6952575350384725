import {
  attackMark,
  conversationMark,
  SLOW_VENDORS,
  VENDOR_ATTACKS,
} from '@fairlead/connector-runtime/testing/hostile-vendor';
import type { Attack, Failure, OpenPeer } from './peer.ts';

/** The hostile vendor as an API chosen by the account. The connection's key, or the path, determines its answer. */
export const openHttpPeer: OpenPeer = ({ connector, vendorUrl }) => {
  const connection = (apiKey: string): Attack['connection'] => ({
    applicationSlug: connector.slug,
    authenticationId: 1,
    fields: { baseUrl: vendorUrl, headerName: 'x-api-key', apiKey },
  });
  const call = (path: string): { toolSlug: string; fields: { url: string } } => ({
    toolSlug: 'http-send-request',
    fields: { url: path },
  });
  const attack = (name: string, execution: Failure, test: Failure, isSlow: boolean): Attack => ({
    name,
    connection: connection(attackMark(name)),
    execution: { call: call('/'), fails: execution },
    test: { fails: test },
    isSlow,
  });
  return Promise.resolve({
    attacks: [
      // The tool returns a whole response as it is, but the test reads only part of the body.
      ...Object.entries(VENDOR_ATTACKS).map(([name, { says, notices, raw = null }]) => {
        const isReturned = notices === 'meaning' || notices === 'nobody';
        const test = notices === 'body' ? undefined : isReturned ? null : says;
        return attack(name, isReturned ? raw : says, test, false);
      }),
      ...Object.keys(SLOW_VENDORS).map((name) =>
        attack(
          name,
          'did not respond within',
          name === 'drip-body' ? undefined : 'did not respond within',
          true,
        ),
      ),
    ],
    conversations: { connection: connection('plain'), call: (seed) => call(`/${conversationMark(seed)}`) },
    close: () => Promise.resolve(),
  });
};
