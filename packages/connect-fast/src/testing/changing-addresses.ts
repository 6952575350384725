import { createAddressList } from '../live-addresses.ts';
import type { LiveAddresses } from '../live-addresses.ts';

/** Addresses that a test replaces; `renew` replaces them with `onRenew`'s. */
export function changingAddresses(
  initial: readonly string[],
  onRenew?: () => readonly string[],
): LiveAddresses & { readonly replace: (addresses: readonly string[]) => void } {
  const list = createAddressList(initial);
  return {
    ...list,
    renew() {
      if (onRenew !== undefined) list.replace(onRenew());
      return Promise.resolve();
    },
  };
}
