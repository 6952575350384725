import {
  attackMark,
  conversationMark,
  SLOW_VENDORS,
  VENDOR_ATTACKS,
} from '@fairlead/connector-runtime/testing/hostile-vendor';
import type { Attack, Failure, OpenPeer, ToolCall } from './peer.ts';

/** The hostile vendor as a site with feeds. The feed's address determines its answer. */
export const openRssPeer: OpenPeer = ({ connector, vendorUrl }) => {
  const connection = { applicationSlug: connector.slug, fields: {} };
  const call = (mark: string): ToolCall => ({
    toolSlug: 'rss-list-items',
    fields: { url: `${vendorUrl}/${mark}` },
  });
  const attack = (name: string, fails: Failure, isSlow: boolean): Attack => ({
    name,
    connection,
    execution: { call: call(attackMark(name)), fails },
    isSlow,
  });
  return Promise.resolve({
    attacks: [
      // The answer is a hostile JSON body; for this connector it is just not a feed.
      ...Object.entries(VENDOR_ATTACKS).map(([name, { says, notices }]) =>
        attack(name, notices === 'meaning' || notices === 'nobody' ? undefined : says, false),
      ),
      ...Object.keys(SLOW_VENDORS).map((name) => attack(name, 'did not respond within', true)),
    ],
    conversations: { connection, call: (seed) => call(conversationMark(seed)) },
    close: () => Promise.resolve(),
  });
};
