import { describe, expect, test } from 'vitest';
import { classifyAddress, mayDial, type AddressClass } from './addresses.ts';

const table: Record<AddressClass, readonly string[]> = {
  public: [
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '192.167.255.255',
    '2606:4700::1111',
    '2a00:1450::1',
    '::ffff:8.8.8.8',
  ],
  loopback: ['127.0.0.1', '127.0.0.0', '127.255.255.255', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    'fc00::1',
    'fd12:3456::1',
    '::ffff:10.0.0.1',
    '::ffff:c0a8:1',
  ],
  'carrier-grade NAT': ['100.64.0.0', '100.64.0.1', '100.127.255.255', '::ffff:100.64.0.1'],
  metadata: [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd20:00ce:0::0254%eth0',
    'FD00:0EC2:0::0254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::ffff:100.100.100.200',
  ],
  'link-local': ['169.254.0.1', '169.254.170.2', 'fe80::1', 'fe80::1%eth0', 'febf::1', '::ffff:169.254.1.1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  translated: [
    '::7f00:1',
    '::127.0.0.1',
    '::a9fe:a9fe',
    '::2',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '2001::1',
    '2001:0:7f00:1::',
    '::ffff:0:7f00:1',
    '2001:db8:1::5efe:7f00:1',
    '2607:f8b0::200:5efe:a00:1',
  ],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: [
    '240.0.0.1',
    '255.255.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.1',
    '192.88.99.1',
    '2001:db8::1',
    '100::1',
    'fec0::1',
    '3fff::1',
    '5f00::1',
    '4000::1',
    'e000::1',
    '1::1',
    '2001:2::1',
    '2001:20::1',
    '192.175.48.1',
    '198.51.100.1',
  ],
  invalid: ['', 'localhost', 'no address', '1.2.3.4.5', '[::1]', ':::'],
};

describe.each(Object.entries(table) as [AddressClass, readonly string[]][])('%s', (kind, addresses) => {
  test.each(addresses)('%s', (address) => expect(classifyAddress(address)).toBe(kind));
});

test('only public addresses may be dialled without opting in; opting in adds loopback, private and carrier-grade NAT', () => {
  const kinds = Object.keys(table) as AddressClass[];
  expect(kinds.filter((kind) => mayDial(kind, false))).toEqual(['public']);
  expect(kinds.filter((kind) => mayDial(kind, true))).toEqual(['public', 'loopback', 'private', 'carrier-grade NAT']);
});
