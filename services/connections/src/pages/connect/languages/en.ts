import { html } from '@fairlead/pages/html';
import type { Messages } from './messages.ts';

/** English. */
export const en: Messages = {
  connectTitle: (application) => `Connect ${application}`,
  asks: ({ user, account }, application) => html`${user} at ${account} asks you to connect ${application}.`,
  renewTitle: (application) => `Reconnect ${application}`,
  renews: ({ user, account }, application, connection) =>
    html`${user} at ${account} asks you to renew the connection ${connection} to ${application}.`,
  trust: (account) =>
    html`Continue only if you know ${account}. Either of you can remove the connection later.`,
  scopesTitle: (account) => html`${account} will be able to`,
  scopesAtVendor: 'Which permissions it asks for is shown there, before you agree.',
  moreScopes: (count) => `and ${count} more`,
  tested: (application) => html`What you enter is checked with ${application} before it is saved.`,
  optional: '(optional)',
  choose: 'Choose…',
  connect: 'Connect',
  signInWith: (application) => `Sign in with ${application}`,
  helpLink: 'Open the page where you find it',
  cancel: 'Cancel',
  otherMethods: 'Other ways to connect',
  chooseTitle: 'Choose an application',
  chooses: ({ user, account }) =>
    html`${user} at ${account} asks you to connect an application that you use.`,
  searchLabel: 'Search applications',
  search: 'Search',
  noMatch: 'No application matches.',
  previousPage: 'Previous page',
  nextPage: 'Next page',
  allApplications: 'All applications',
  connected: (connection) => html`${connection} is connected.`,
  done: 'Done',
  chooseOptionsTitle: (application) => `Almost done: ${application}`,

  problemPrefix: 'Problem: ',
  checkTitle: 'Please check what you entered',
  checkText: 'The fields below say what is wrong.',
  required: 'This field is required.',
  notAccepted: 'This value is not accepted:',
  refusedTitle: 'The connection did not succeed',
  refusedText: 'The reason that was given:',
  staleTitle: 'Please confirm again',
  staleText: 'The page was open for too long, or your browser blocks cookies.',

  completedTitle: 'You are connected',
  cancelledTitle: 'Nothing was connected',
  cancelledText: 'You cancelled.',
  withdrawnText: (account) => html`${account} has ended this link.`,
  expiredTitle: 'This link has expired',
  endedTitle: 'This link has ended',
  startAgain: 'Go back to where you came from and start again.',
  goneTitle: 'The connection no longer exists',
  goneText: (account) =>
    html`${account} or you removed it. Go back to where you came from and connect again.`,
  limitTitle: 'No more connections are possible',
  limitText: (account) =>
    html`You have as many connections as ${account} allows. Remove one of them there, then start again.`,
  notOfferedTitle: 'This application is not offered',
  notOfferedText: 'It cannot be connected here, or not any more.',
  reopenTitle: 'Please open the link again',
  reopenText:
    'Your browser has not kept the session. Allow cookies for this site, then open the link once more.',
  tryAgainTitle: 'Please try again',
  tooManyText: 'Too many pages were opened from your network. Reload this page in a few seconds.',
  awayText: 'Part of the system is not responding at the moment.',
  failedTitle: 'Something went wrong',
  failedText: 'The connection could not be made.',
  formTitle: 'This form cannot be accepted',
  reference: 'Reference:',

  mayClose: 'You can close this window.',
  closeWindow: 'Close window',
  returnTo: (host) => `Return to ${host}`,

  signIn: {
    title: (application) => `Connect ${application}?`,
    asks: ({ user, account }, application, host) =>
      html`${user} at ${account} asks you to connect ${application}. You sign in at ${host}.`,
    defaultScopes: 'It asks for what the application grants by default, which you see there.',
    continueTo: (application) => `Continue to ${application}`,
    completedTitle: 'You are signed in',
    completedText: (application) =>
      html`${application} has authorized the sign-in. You can close this window and continue where you came
      from.`,
    cancelledText: 'You cancelled the sign-in. You can close this window.',
    failedTitle: 'The sign-in did not succeed',
    brokenText: 'The sign-in could not continue. Start again where you came from.',
    endedTitle: 'This sign-in has ended',
    endedText:
      'It has expired, has already been used, or was started in another browser. Go back to where you came from and start again.',
    formText: 'Open the address of the sign-in again.',
  },
};
