# How `sam build` makes the artifact of each function: its own folder, shared/ and its own locked dependencies, all with
# byte code. ARCH and PYTHON_VERSION are what the template's Architecture and LambdaRuntime say: those of a STAGE that was
# deployed before are the ones it was told.
STAGE_CONFIG = $(CURDIR)/samconfig.$(STAGE).toml
told = $(shell sed -n 's/.*[" ]$(1)=\\"\([^"\]*\).*/\1/p' $(STAGE_CONFIG) 2> /dev/null)
ARCH ?= $(or $(call told,Architecture),arm64)
PYTHON_VERSION ?= $(or $(patsubst python%,%,$(call told,LambdaRuntime)),3.13)
PLATFORM ?= $(ARCH:arm64=aarch64)-manylinux2014
LIBRARIES = .aws-sam/libraries/$(PLATFORM)-$(PYTHON_VERSION)
export ARCH PYTHON_VERSION

# What the functions call; botocore describes hundreds of services more.
AWS_CLIENTS = dynamodb sqs secretsmanager
# Two modules in which openai names the types of all its APIs. Neither the client nor we use these names, and to read
# them would be a quarter of a cold start. They are removed first: a file in uv's cache may be the same one.
NAMES_OF_TYPES = openai/types/__init__.py openai/types/responses/__init__.py
ARTIFACTS = build-ChatFunction build-RoleMemoryFunction build-MemoryApiFunction build-AuthorizerFunction

.PHONY: build deploy destroy stage validate $(ARTIFACTS)
.SILENT: $(ARTIFACTS)

## Build the functions for AWS into .aws-sam/build (ARCH=x86_64 for Intel)
build:
	$(SAM) build --parameter-overrides Architecture=$(ARCH) LambdaRuntime=python$(PYTHON_VERSION)

## Deploy the stack role-memory-STAGE; asks for parameters the first time, and before it changes anything
deploy: stage build
	@test -e $(STAGE_CONFIG) || echo "version = 0.1" > $(STAGE_CONFIG)
	$(SAM) deploy $(if $(shell grep -s parameter_overrides $(STAGE_CONFIG)),,--guided --parameter-overrides Architecture=$(ARCH) LambdaRuntime=python$(PYTHON_VERSION)) --config-file $(STAGE_CONFIG) --stack-name role-memory-$(STAGE) \
	    --capabilities CAPABILITY_IAM --resolve-s3 --confirm-changeset --no-fail-on-empty-changeset --tags project=role-memory stage=$(STAGE)

## Delete the stack role-memory-STAGE; asks first, and keeps the tables
destroy: stage .tools/bin/sam
	$(SAM) delete $(if $(wildcard $(STAGE_CONFIG)),--config-file $(STAGE_CONFIG)) --stack-name role-memory-$(STAGE)

stage:
	@test -n "$(STAGE)" || { echo "Name the stage, as in: make deploy STAGE=live" >&2; exit 1; }

## Check the template
validate:
	$(SAM) validate

build-ChatFunction: $(LIBRARIES)/chat
build-RoleMemoryFunction: $(LIBRARIES)/role_memory
build-MemoryApiFunction: $(LIBRARIES)/memory_api
build-AuthorizerFunction: $(LIBRARIES)/authorizer

$(ARTIFACTS):
	mkdir -p "$(ARTIFACTS_DIR)/functions"
	cp -Rl $</. "$(ARTIFACTS_DIR)" 2> /dev/null || cp -R $</. "$(ARTIFACTS_DIR)"
	cp functions/__init__.py "$(ARTIFACTS_DIR)/functions"
	cp -R functions/$(notdir $<) "$(ARTIFACTS_DIR)/functions"
	cp -R shared "$(ARTIFACTS_DIR)"
	cd "$(ARTIFACTS_DIR)" && find functions shared -name __pycache__ -prune -exec rm -rf {} +
	$(call compile,$(ARTIFACTS_DIR),"$(ARTIFACTS_DIR)/functions" "$(ARTIFACTS_DIR)/shared")
	cd "$(ARTIFACTS_DIR)" && chmod a+rX . && chmod -R a+rX functions shared

# The libraries of a function, ready to copy: they change less often than our code, and take ten times as long.
# Those without byte code are made old, so that the next build tries again.
$(LIBRARIES)/%: uv.lock infra/build.mk
	@rm -rf $@ $@.new && mkdir -p $@.new
	@$(UV) export --quiet --frozen --only-group $* --output-file $@.lock > /dev/null
	@$(UV) pip install --quiet --target $@.new --requirement $@.lock \
	    --python-platform $(PLATFORM) --python-version $(PYTHON_VERSION) --only-binary :all: --require-hashes
	@cd $@.new && rm -rf bin boto3/examples boto3/data && \
	    find . \( -name __pycache__ -o -name '.[!.]*' -o -name 'test_*.py' -o -name '*.pyi' -o -path '*/swagger_ui/*.min.*' \) -prune -exec rm -rf {} + && \
	    if [ -d botocore ]; then \
	        find botocore/data -mindepth 1 -maxdepth 1 -type d $(AWS_CLIENTS:%=! -name %) -exec rm -rf {} +; \
	    fi && \
	    if [ -d openai ]; then rm -f $(NAMES_OF_TYPES) && touch $(NAMES_OF_TYPES); fi
	@$(call compile,$@.new,$@.new)
	@chmod -R a+rX $@.new
	@mv $@.new $@ && if [ -d $@/__pycache__ ]; then touch $@; else touch -t 198001010000 $@; fi

# $(call compile,root,paths): byte code that stays valid whatever times a zip gives to the files.
define compile
if python=$$(sh infra/find-python.sh $(PYTHON_VERSION) $(UV)); then \
    PYTHONHASHSEED=0 $$python -m compileall -q -j 0 --invalidation-mode unchecked-hash -s "$(1)" -p /var/task $(2); \
else \
    echo "$@: no byte code, so slow cold starts, as no Python $(PYTHON_VERSION) was found on the PATH, with pyenv or" \
        "with uv. Install one, as in: $(UV) python install $(PYTHON_VERSION)"; \
fi
endef
