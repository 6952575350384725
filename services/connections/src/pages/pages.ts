import { clientAddressOf } from '@fairlead/service-kit/http/passed-on';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Page } from '@fairlead/service-kit/http/app';
import type { FindMember } from '../ports/members.ts';
import { createAddressLimit } from './address-limit.ts';
import type { PageUseCases } from './bind-use-cases.ts';
import { clientDocumentPage } from './client-document.ts';
import { connectStatusPage } from './connect-status.ts';
import { connectPages } from './connect/connect.ts';
import { signInPages } from './sign-in.ts';
import { createTokenLimit } from './token-limit.ts';

/** All pages below `/connect`, for people's browsers, vendors and scripts of accounts' products; requests arrive through the gateway. */
export function openPages({
  clock,
  ...o
}: {
  readonly useCases: PageUseCases;
  readonly findMember: FindMember;
  /** Base address as clients see it, without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
}): readonly Page[] {
  const common = { ...o, addressOf: clientAddressOf, limit: createAddressLimit({ clock }) };
  const connect = connectPages({ ...common, clock });
  return [
    ...connect.pages,
    clientDocumentPage(o.publicUrl),
    ...signInPages({ ...common, continueSession: connect.continueSession }),
    connectStatusPage({
      useCases: o.useCases,
      addressOf: clientAddressOf,
      limit: createAddressLimit({ clock }),
      tokens: createTokenLimit({ clock }),
      clock,
    }),
  ];
}
