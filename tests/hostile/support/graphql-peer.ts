import {
  attackMark,
  conversationMark,
  SLOW_VENDORS,
  VENDOR_ATTACKS,
} from '@fairlead/connector-runtime/testing/hostile-vendor';
import type { Attack, OpenPeer, ToolCall } from './peer.ts';

/** The hostile vendor as a GraphQL endpoint chosen by the account. The connection's key, or the query, determines its answer. */
export const openGraphqlPeer: OpenPeer = ({ connector, vendorUrl }) => {
  const connection = (apiKey: string): Attack['connection'] => ({
    applicationSlug: connector.slug,
    authenticationId: 1,
    fields: { endpoint: vendorUrl, headerName: 'x-api-key', apiKey },
  });
  const call = (name: string): ToolCall => ({
    toolSlug: 'graphql-run-query',
    fields: { query: `{ thing(name: "${name}") }` },
  });
  const attack = (name: string, fails: string, isSlow: boolean): Attack => ({
    name,
    connection: connection(attackMark(name)),
    execution: { call: call('x'), fails },
    test: { fails },
    isSlow,
  });
  return Promise.resolve({
    attacks: [
      // A test reads little, and redirects are not followed, so some attacks fail for another reason.
      ...Object.entries(VENDOR_ATTACKS).map(([name, { says, notices }]) =>
        attack(name, notices === 'meaning' ? '' : says, false),
      ),
      ...Object.keys(SLOW_VENDORS).map((name) => attack(name, 'did not respond within', true)),
    ],
    conversations: { connection: connection('plain'), call: (seed) => call(conversationMark(seed)) },
    close: () => Promise.resolve(),
  });
};
