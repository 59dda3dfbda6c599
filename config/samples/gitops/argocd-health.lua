-- The health of Mooring's objects, as Argo CD names it. These are the rules of kstatus, which Flux and others follow without a script.
local function condition(name)
  if obj.status == nil or obj.status.conditions == nil then
    return nil
  end
  for _, c in ipairs(obj.status.conditions) do
    if c.type == name then
      return c
    end
  end
  return nil
end

local function isTrue(c)
  return c ~= nil and c.status == "True"
end

local function health(status, c)
  if c == nil then
    return {status = status, message = "Mooring has not reconciled it yet"}
  end
  return {status = status, message = c.reason .. ": " .. c.message}
end

local ready, synced = condition("Ready"), condition("Synced")
local reconciling, stalled = condition("Reconciling"), condition("Stalled")
local annotations = obj.metadata.annotations or {}

if annotations["mooring.dev/paused"] == "true" then
  return {status = "Suspended", message = "paused by the annotation mooring.dev/paused"}
end
if obj.metadata.deletionTimestamp ~= nil then
  return health("Progressing", stalled or ready)
end
if obj.status == nil or obj.status.observedGeneration ~= obj.metadata.generation then
  return health("Progressing", nil)
end
if isTrue(reconciling) then
  return health("Progressing", reconciling)
end
if isTrue(stalled) then
  return health("Degraded", stalled)
end
if isTrue(ready) then
  if synced ~= nil and synced.status == "False" then
    return health("Healthy", synced) -- usable, and something differs that waits
  end
  return health("Healthy", ready)
end
return health("Progressing", ready)
