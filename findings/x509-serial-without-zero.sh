#!/usr/bin/env bash
# The serial number that certificate libraries tell lacks DER's leading zero, which ARI wants.
. "$(dirname "$0")/lib.sh"
need openssl
npm_install @peculiar/x509@2.2.0 reflect-metadata@0.2.2

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/key.pem" \
  -out "$work/cert.pem" -subj /CN=example -days 10 -set_serial 0x87654321 2>"$work/openssl.log"

cat >"$work/main.mjs" <<'END'
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { X509Certificate as NodeCertificate } from 'node:crypto';
import { X509Certificate } from '@peculiar/x509';
import { claim } from './claim.mjs';

const pem = readFileSync('cert.pem', 'utf8');
const der = Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64');
const at = der.indexOf(Buffer.from('0087654321', 'hex'));
claim('the certificate holds the serial number with a leading zero', at > 0,
  der.subarray(at - 2, at + 5).toString('hex'));
const peculiar = new X509Certificate(pem).serialNumber;
claim('@peculiar/x509 tells it without', peculiar.toLowerCase() === '87654321', peculiar);
const node = new NodeCertificate(pem).serialNumber;
claim('Node.js too', node.toLowerCase() === '87654321', node);
const [short, whole] = [peculiar, `00${peculiar}`].map((hex) =>
  Buffer.from(hex, 'hex').toString('base64url'));
claim('so the last part of an ARI identifier (RFC 9773, 4.1) comes out different',
  short === 'h2VDIQ' && whole === 'AIdlQyE', `${short} in place of ${whole}`);
END
cd "$work"
judge node main.mjs
