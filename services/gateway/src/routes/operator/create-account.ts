import { z } from 'zod';
import { createdAccountRecord, presentCreatedAccount } from '../../present/operated-account.ts';
import { defineRoute } from '../define-route.ts';
import { accountName, accountSettings } from '../admin/account-settings.ts';
import { email, password, userName } from '../admin/user-inputs.ts';

const body = z
  .object({
    ...accountSettings,
    name: accountName,
    ownerEmail: email
      .exactOptional()
      .describe('Absent: an address at which nobody can be reached, `owner@<the account’s id>.invalid`.'),
    ownerName: userName.exactOptional().describe('Absent: what stands before the @ of the e-mail address.'),
    ownerPassword: password.exactOptional().describe('Absent: the owner cannot sign in with a password.'),
  })
  .meta({ id: 'CreateAccountRequest' });

/** POST /operator/v1/accounts */
export const createAccount = defineRoute(
  {
    operationId: 'createAccount',
    method: 'post',
    path: '/operator/v1/accounts',
    tags: ['Operator'],
    summary: 'Make an account with its owner',
    description: 'Only `name` is needed. Answers the owner’s first API key, once.',
    auth: 'operator',
    services: ['identity'],
    resource: 'account',
    body,
    response: createdAccountRecord,
    status: 201,
    errors: [],
  },
  async ({ ctx, body: account, services }) =>
    presentCreatedAccount(await services.identity.createAccountWithOwner(ctx, account)),
);
