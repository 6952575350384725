import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import type { StateCookies } from '@fairlead/service-kit/http/state-cookies';

/** The cookies that bind a sign-in to the browser that goes to the vendor; the callback checks them (ADR 26). */
export function vendorBindings(publicUrl: string): StateCookies {
  return stateCookies({ publicUrl, name: 'fairlead-sign-in' });
}
