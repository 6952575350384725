import { meet } from '@googleapis/meet';

const at = (url) => meet({ version: 'v2', rootUrl: `${url}/`, retry: false });

export const origin = 'https://meet.googleapis.com';
export const authenticationId = 0;
export const accessToken = 'token';
// Our calls ask for the members that they return.
export const ignored = ['fields'];
export const cases = [
  {
    tool: 'google-meet-get-space',
    input: { id: 's1' },
    sdk: (url) => at(url).spaces.get({ name: 'spaces/s1' }),
  },
  {
    tool: 'google-meet-create-space',
    input: { accessType: 'OPEN' },
    sdk: (url) => at(url).spaces.create({ requestBody: { config: { accessType: 'OPEN' } } }),
  },
  {
    tool: 'google-meet-end-meeting',
    input: { id: 's1' },
    sdk: (url) => at(url).spaces.endActiveConference({ name: 'spaces/s1' }),
  },
  {
    tool: 'google-meet-get-meeting',
    input: { id: 'c1' },
    sdk: (url) => at(url).conferenceRecords.get({ name: 'conferenceRecords/c1' }),
  },
  {
    tool: 'google-meet-list-participants',
    input: { id: 'c1' },
    top: 10,
    sdk: (url) =>
      at(url).conferenceRecords.participants.list({ parent: 'conferenceRecords/c1', pageSize: 10 }),
  },
  {
    tool: 'google-meet-list-recordings',
    input: { id: 'c1' },
    top: 10,
    sdk: (url) => at(url).conferenceRecords.recordings.list({ parent: 'conferenceRecords/c1', pageSize: 10 }),
  },
  {
    tool: 'google-meet-list-transcripts',
    input: { id: 'c1' },
    top: 10,
    sdk: (url) =>
      at(url).conferenceRecords.transcripts.list({ parent: 'conferenceRecords/c1', pageSize: 10 }),
  },
];
