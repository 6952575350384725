import { z } from 'zod';
import { createdAccountRecord, presentCreatedAccount } from '@fairlead/rest-records/operated-account';
import { defineRoute } from '../define-route.ts';
import { accountName, accountSettings, settingsMessage } from '../admin/account-settings.ts';
import { email, password, userName } from '../admin/user-inputs.ts';

const body = z
  .object({
    ...accountSettings,
    name: accountName,
    ownerEmail: email
      .exactOptional()
      .describe('Absent: `owner@<account id>.invalid`, an address that cannot receive mail.'),
    ownerName: userName.exactOptional().describe('Absent: the part of the e-mail address before the @.'),
    ownerPassword: password.exactOptional().describe('Absent: the owner cannot sign in with a password.'),
  })
  .meta({ id: 'CreateAccountRequest' });

export const createAccount = defineRoute(
  {
    operationId: 'createAccount',
    method: 'post',
    path: '/operator/v1/accounts',
    tags: ['Operator'],
    summary: 'Create an account with its owner',
    description: 'Only `name` is required. Returns the owner’s first API key, which cannot be read again.',
    auth: 'operator',
    services: ['operator'],
    resource: 'account',
    body,
    response: createdAccountRecord,
    status: 201,
  },
  async ({ ctx, body: { ownerEmail, ownerName, ownerPassword, ...settings }, services }) =>
    presentCreatedAccount(
      await services.operator.createAccount(ctx, {
        settings: settingsMessage(settings),
        ...(ownerEmail !== undefined && { ownerEmail }),
        ...(ownerName !== undefined && { ownerName }),
        ...(ownerPassword !== undefined && { ownerPassword: ownerPassword.reveal() }),
      }),
    ),
);
