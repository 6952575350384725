import { createAddressList } from '../live-addresses.ts';
import type { LiveAddresses } from '../live-addresses.ts';

/** Addresses that a test can replace; `renew` replaces them by those of `onRenew`. */
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
