// Part of cudagraph-tidy, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the parts that sbom.py has found as CycloneDX 1.6, with the library of
// CycloneDX, which also validates the result. Reads standard input and writes to standard output.

import { readFileSync } from "node:fs";
import { Enums, Models, Serialize, Spec, Validation } from "@cyclonedx/cyclonedx-library";

const found = JSON.parse(readFileSync(0, "utf8"));

function component(of) {
  const made = new Models.Component(Enums.ComponentType[of.type], of.name,
    { bomRef: of.ref ?? of.name, version: of.version, purl: of.purl });
  made.licenses.add(new Models.LicenseExpression(of.license));
  if (of.sha256) made.hashes.set(Enums.HashAlgorithm["SHA-256"], of.sha256);
  if (of.url)
    made.externalReferences.add(
      new Models.ExternalReference(of.url, Enums.ExternalReferenceType.Website));
  return made;
}

const bom = new Models.Bom({ version: 1, serialNumber: found.serial });
bom.metadata.timestamp = new Date(found.time * 1000);
bom.metadata.component = component(found.product);
const made = new Map(found.components.map((of) => [of.name, component(of)]));
for (const each of made.values()) bom.components.add(each);
const depend = (from, names) => names.forEach((name) => from.dependencies.add(made.get(name).bomRef));
depend(bom.metadata.component, found.product.contains);
for (const of of found.components) depend(made.get(of.name), of.contains ?? []);

const text = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  .serialize(bom, { sortLists: true, space: 2 });
const wrong = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
if (wrong !== null) {
  console.error("the list of parts is not valid:", wrong);
  process.exit(1);
}
process.stdout.write(text + "\n");
